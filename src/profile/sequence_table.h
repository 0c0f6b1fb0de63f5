#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// Which module ran the op that made a node of the backward, by the op's thread and sequence number.
// Of a fixed size: numbers only grow, so a newer entry takes an old one's place, and what was
// overwritten is not found rather than found wrong.
class SequenceTable {
 public:
  static constexpr std::size_t kDefaultSize = std::size_t{1} << 16;
  // `size` is a power of two.
  explicit SequenceTable(std::size_t size = kDefaultSize) : entries_(size) {}

  // Several ops see the same number before one of them makes the node; the last one is it.
  void remember(std::uint64_t thread, std::int64_t sequence, NameId module) noexcept {
    entries_[place(thread, sequence)].store(mark(thread, sequence) | module,
                                            std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<NameId> find(std::uint64_t thread,
                                           std::int64_t sequence) const noexcept {
    const std::uint64_t entry = entries_[place(thread, sequence)].load(std::memory_order_relaxed);
    if ((entry & ~kModuleBits) != mark(thread, sequence)) return std::nullopt;
    return static_cast<NameId>(entry & kModuleBits);
  }

 private:
  static constexpr std::uint64_t kModuleBits = (std::uint64_t{1} << 24) - 1;
  static std::uint64_t mark(std::uint64_t thread, std::int64_t sequence) {
    // 32 bits of the number, 8 of the thread; never all zero, as an empty entry is.
    return static_cast<std::uint64_t>(sequence + 1) << 32 | (thread & 0xff) << 24;
  }
  [[nodiscard]] std::size_t place(std::uint64_t thread, std::int64_t sequence) const {
    // Threads start apart, so that their numbers, which all begin at zero, do not meet at once.
    return (static_cast<std::uint64_t>(sequence) + thread * 7919) & (entries_.size() - 1);
  }

  std::vector<std::atomic<std::uint64_t>> entries_;
};

}  // namespace ridgeline
