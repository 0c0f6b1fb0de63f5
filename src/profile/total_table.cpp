#include "profile/total_table.h"

#include <algorithm>
#include <bit>

#include "profile/name_table.h"

namespace ridgeline {
namespace {

std::size_t hash_of(const OpTotal& total) {
  std::uint64_t hash = total.name;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL; };
  mix(total.shape);
  mix(total.module);
  mix(static_cast<std::uint64_t>(total.kind) << 8 | static_cast<std::uint64_t>(total.phase));
  return static_cast<std::size_t>(hash >> 20);
}

bool same(const OpTotal& a, const OpTotal& b) {
  return a.name == b.name && a.shape == b.shape && a.module == b.module && a.kind == b.kind &&
         a.phase == b.phase;
}

}  // namespace

TotalTable::TotalTable(std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity, 1)), slots_(std::bit_ceil(2 * capacity_)) {
  totals_.reserve(capacity_);
  reset();
}

std::uint32_t TotalTable::place_of(const OpTotal& like) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(like) & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask) {
    if (same(totals_[slots_[i] - 1], like)) return slots_[i] - 1;
  }
  if (totals_.size() == capacity_) return 0;
  totals_.push_back({.name = like.name,
                     .shape = like.shape,
                     .module = like.module,
                     .kind = like.kind,
                     .phase = like.phase});
  slots_[i] = static_cast<std::uint32_t>(totals_.size());
  return slots_[i] - 1;
}

void TotalTable::reset() noexcept {
  std::ranges::fill(slots_, 0);
  totals_.clear();
  totals_.push_back({.name = NameTable::kOverflow});
}

}  // namespace ridgeline
