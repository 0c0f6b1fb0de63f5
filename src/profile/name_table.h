#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// Numbers for names, for many threads at once. A name seen before is found without a lock and
// without an allocation; a new one is copied once, under a lock. Bounded: what comes after the
// last free place shares one name.
class NameTable {
 public:
  static constexpr NameId kNone = 0;
  static constexpr NameId kOverflow = 1;
  static constexpr std::size_t kDefaultCapacity = std::size_t{1} << 14;

  explicit NameTable(std::size_t capacity = kDefaultCapacity);
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  [[nodiscard]] NameId number(std::string_view name) noexcept;
  // The same, asking first whether it is the name that was last found with this hint: that saves
  // the hash and a look into a table too large for the caches. A hint is of one thread.
  class Hint;
  [[nodiscard]] NameId number(std::string_view name, Hint& hint) noexcept;
  [[nodiscard]] std::uint64_t overflowed() const { return overflowed_.load(); }
  // All names, each at its number.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  // A name of usual length lies in the entry's own cache line: what is looked up between two ops of
  // a step has left the caches by then.
  struct alignas(64) Entry {
    std::size_t hash{};
    NameId number{};
    std::uint32_t size{};
    bool whole{};  // is_whole_op
    std::array<char, 32> start{};
    std::unique_ptr<std::string> rest{};  // the whole name where it is longer
    Entry(std::size_t name_hash, NameId name_number, std::string_view name);
    [[nodiscard]] bool is(std::string_view name) const;
    [[nodiscard]] std::string text() const;
  };
  static const Entry kNoEntry;
  static const Entry kFullEntry;
  [[nodiscard]] const Entry& entry_of(std::string_view name) noexcept;
  [[nodiscard]] const Entry& add(std::string_view name, std::size_t hash) noexcept;

  std::size_t capacity_;
  std::vector<std::atomic<const Entry*>> slots_;  // a power of two, never more than half full
  mutable std::mutex adding_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::atomic<std::uint64_t> overflowed_{0};
};

class NameTable::Hint {
 public:
  // Whether the name that was last asked with this hint is of a whole op.
  [[nodiscard]] bool whole() const noexcept { return last_ != nullptr && last_->whole; }

 private:
  friend class NameTable;
  const Entry* last_ = nullptr;
};

}  // namespace ridgeline
