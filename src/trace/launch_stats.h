#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// Launches and what they launched. The limits are HolisticTraceAnalysis's.
inline constexpr std::int64_t kLongLaunch_ns = 50'000;
inline constexpr std::int64_t kLongLaunchDelay_ns = 100'000;

// A call that launches a graph launches all its nodes: it counts once, and its delay is that of the
// first of them to start.
struct LaunchStats {
  std::uint64_t calls{};          // that launched something
  std::uint64_t launched{};       // device work they launched
  std::uint64_t unmatched{};      // device work whose launch is not in the trace
  std::uint64_t short_kernels{};  // the only work of their call, and shorter than it
  std::uint64_t long_calls{};     // of more than 50 µs
  std::uint64_t delayed{};        // calls whose work began more than 100 µs after their return
  std::int64_t call_ns{};         // summed time of the calls
  // From a call's return to the start, 0 when it began before; absent without calls.
  std::optional<std::int64_t> median_delay_ns{};
  std::optional<std::int64_t> max_delay_ns{};
};
[[nodiscard]] LaunchStats launch_stats(const EventTable& events, const DeviceWork& work);

// How much work waited on a stream: one more at each launch, one less at each start.
struct QueueLength {
  std::int64_t device{};
  std::int64_t stream{};
  std::uint64_t changes{};
  std::int64_t longest{};
  double mean_at_changes{};  // HolisticTraceAnalysis's mean: every change counts alike
  double mean_over_time{};   // weighted by how long each length lasted
};
[[nodiscard]] std::vector<QueueLength> queue_lengths(const EventTable& events,
                                                     const DeviceWork& work);

}  // namespace ridgeline
