#pragma once

#include <cstdint>
#include <vector>

#include "trace/device_work.h"
#include "trace/intervals.h"

namespace ridgeline {

// What is known of why one device did nothing, on any of its streams, before work that was asked
// for in the steps. What is in none of these sums had nothing to do: nobody had asked for it.
struct StepIdle {
  std::int64_t device{};
  std::uint64_t launched{};      // pieces of work whose launch is in the trace; 0: nothing is known
  std::int64_t queued_ns{};      // the next piece had been asked for already
  std::int64_t in_wait_ns{};     // it had not, and the host stood in a wait for a device
  std::int64_t work_ns{};        // of the pieces, summed
  std::int64_t graph_work_ns{};  // of them, that a launch of a graph asked for
};

// By device; `waits` are those of the host.
[[nodiscard]] std::vector<StepIdle> step_idle(const EventTable& events, const DeviceWork& work,
                                              const std::vector<TraceStep>& steps,
                                              const Intervals& waits);

}  // namespace ridgeline
