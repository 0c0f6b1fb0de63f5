#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace ridgeline {

// What was seen of the calls of all threads, in room taken once: a call may not lock or allocate.
template <class Record>
class CallLog {
 public:
  explicit CallLog(std::uint32_t most)
      : capacity_(most), records_(std::make_unique_for_overwrite<Record[]>(most)) {}

  // Its place; absent when the room is used up.
  [[nodiscard]] std::optional<std::uint32_t> add(const Record& record) noexcept {
    const std::uint64_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place >= capacity_) return std::nullopt;
    records_[place] = record;
    return static_cast<std::uint32_t>(place);
  }
  [[nodiscard]] Record& at(std::uint32_t place) noexcept { return records_[place]; }

  // For when no thread makes calls.
  void reset() noexcept { next_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::span<const Record> all() const {
    return {records_.get(), std::min(next_.load(std::memory_order_relaxed), capacity_)};
  }
  [[nodiscard]] std::uint64_t beyond_limit() const {
    return next_.load(std::memory_order_relaxed) - all().size();
  }

 private:
  std::uint64_t capacity_;
  std::unique_ptr<Record[]> records_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace ridgeline
