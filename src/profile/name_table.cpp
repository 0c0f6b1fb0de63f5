#include "profile/name_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <new>

#include "profile/whole_ops.h"

namespace ridgeline {

NameTable::Entry::Entry(std::size_t name_hash, NameId name_number, std::string_view name)
    : hash(name_hash),
      number(name_number),
      size(static_cast<std::uint32_t>(name.size())),
      whole(is_whole_op(name)) {
  std::copy_n(name.begin(), std::min(name.size(), start.size()), start.begin());
  if (name.size() > start.size()) rest = std::make_unique<std::string>(name);
}

bool NameTable::Entry::is(std::string_view name) const {
  if (size != name.size()) return false;
  return rest ? *rest == name : std::string_view(start.data(), size) == name;
}

std::string NameTable::Entry::text() const {
  return rest ? *rest : std::string(start.data(), size);
}

const NameTable::Entry NameTable::kNoEntry(0, kNone, "");
const NameTable::Entry NameTable::kFullEntry(0, kOverflow, "(names beyond the limit)");

NameTable::NameTable(std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity, 2)), slots_(std::bit_ceil(2 * capacity_)) {
  entries_.reserve(capacity_);
  entries_.push_back(std::make_unique<Entry>(0, kNone, kNoEntry.text()));
  entries_.push_back(std::make_unique<Entry>(0, kOverflow, kFullEntry.text()));
}

NameId NameTable::number(std::string_view name) noexcept { return entry_of(name).number; }

NameId NameTable::number(std::string_view name, Hint& hint) noexcept {
  if (hint.last_ == nullptr || !hint.last_->is(name)) [[unlikely]] {
    const Entry& entry = entry_of(name);
    const bool known = entry.number != kOverflow;  // others are counted each time
    hint.last_ = known ? &entry : nullptr;
    if (!known) return kOverflow;
  }
  return hint.last_->number;
}

const NameTable::Entry& NameTable::entry_of(std::string_view name) noexcept {
  if (name.empty()) return kNoEntry;
  const std::size_t hash = std::hash<std::string_view>{}(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Entry* const entry = slots_[i].load(std::memory_order_acquire);
    if (entry == nullptr) return add(name, hash);
    if (entry->hash == hash && entry->is(name)) return *entry;
  }
}

// Looks again under the lock: another thread may have added the same name meanwhile.
const NameTable::Entry& NameTable::add(std::string_view name, std::size_t hash) noexcept {
  const std::lock_guard lock(adding_);
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  for (; const Entry* entry = slots_[i].load(std::memory_order_relaxed); i = (i + 1) & mask) {
    if (entry->hash == hash && entry->is(name)) return *entry;
  }
  if (entries_.size() < capacity_) {
    try {
      const auto number = static_cast<NameId>(entries_.size());
      entries_.push_back(std::make_unique<Entry>(hash, number, name));
      slots_[i].store(entries_.back().get(), std::memory_order_release);
      return *entries_.back();
    } catch (const std::bad_alloc&) {
      // The step being watched will say that memory is short; a profile must not.
    }
  }
  overflowed_.fetch_add(1, std::memory_order_relaxed);
  return kFullEntry;
}

std::vector<std::string> NameTable::names() const {
  const std::lock_guard lock(adding_);
  std::vector<std::string> all;
  all.reserve(entries_.size());
  for (const auto& entry : entries_) all.push_back(entry->text());
  return all;
}

}  // namespace ridgeline
