#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "profile/records.h"

namespace ridgeline {

// A host call that gave the device work.
struct Launch {
  Nanoseconds start{};
  Nanoseconds end{};
  std::uint32_t correlation{};
  std::uint32_t frame{};  // that was open on the calling thread; 0 for none
};

// The calls of all threads, in room taken once: a call may not lock or allocate.
class LaunchLog {
 public:
  explicit LaunchLog(std::size_t most)
      : capacity_(most), launches_(std::make_unique_for_overwrite<Launch[]>(most)) {}

  // Null when the room is used up.
  [[nodiscard]] Launch* add(const Launch& launch) noexcept {
    const std::size_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place >= capacity_) return nullptr;
    launches_[place] = launch;
    return &launches_[place];
  }

  // For when no thread launches.
  void reset() noexcept { next_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::span<const Launch> all() const {
    return {launches_.get(), std::min(next_.load(std::memory_order_relaxed), capacity_)};
  }

 private:
  std::size_t capacity_;
  std::unique_ptr<Launch[]> launches_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace ridgeline
