#pragma once

#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "profile/memory_categories.h"

namespace ridgeline {

using KindBytes = std::array<std::int64_t, kMemoryKinds>;

// What was in use from `time` until the next one.
struct MemoryMoment {
  Nanoseconds time{};
  KindBytes bytes{};
  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t of(MemoryKind kind) const {
    return bytes[static_cast<std::size_t>(kind)];
  }
};

// The worst moment, and who allocated then.
struct MemoryPeak {
  MemoryMoment level{};
  std::int64_t step = -1;  // its number
  StepPhase phase = StepPhase::None;
  std::string module{};
  std::string op{};
};

// The memory of one place, host or device, over the recorded steps. On a device its height is what
// the allocator itself counts: what nobody named is "other". On a host the allocator counts nothing
// from before the recording, and the height is the sum of what was named and what was recorded.
struct MemoryCurve {
  bool on_device = false;
  std::vector<MemoryMoment> levels{};  // at most kMostLevels, extremes kept
  MemoryPeak peak{};
  KindBytes highest{};                               // of each kind, at whatever time
  std::array<std::uint64_t, kMemoryKinds> blocks{};  // of each kind that were seen
  std::int64_t first{};                              // in use when the first step began
  std::uint64_t allocations{};
  std::uint64_t small_allocations{};             // below kSmallAllocation
  std::int64_t allocated{};                      // by all of them, freed or not
  std::optional<std::int64_t> before_forward{};  // of the first forward
  std::optional<std::int64_t> after_forward{};
  std::optional<std::int64_t> allocator_peak{};  // the allocator's own figure, for comparison
  std::optional<std::int64_t> allocator_reserved{};
};
inline constexpr std::size_t kMostLevels = 1500;

struct MemoryTimeline {
  MemoryCurve main{};                 // the device's where it was used, else the host's
  std::optional<MemoryCurve> host{};  // beside a device
  std::vector<RecordedStep> steps{};
  std::uint64_t freed_unseen{};
  // Records beyond the limit. Curves end where the first of them is missing, and of what came later
  // nothing is known: no peak, no sum.
  std::uint64_t lost{};
  Nanoseconds lost_from{};
};

// Absent without memory records.
[[nodiscard]] std::optional<MemoryTimeline> memory_timeline(const Recording& recording,
                                                            const ClassifyOptions& options = {});

}  // namespace ridgeline
