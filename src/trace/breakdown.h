#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// Where a device's time went between its first and its last work: the classes merged over streams,
// so that two kernels at once count once. Classes may overlap each other; idle is what none covers.
struct Breakdown {
  std::string part{};  // "whole trace" or the step's name
  std::int64_t device{};
  std::int64_t host_ns{};  // the step's own time on the host; 0 for the whole trace
  std::int64_t span_ns{};  // from the first start to the last end
  std::int64_t compute_ns{};
  std::int64_t communication_ns{};
  std::int64_t copy_ns{};
  std::int64_t idle_ns{};
  std::int64_t communication_hidden_ns{};  // while something was computed
  std::int64_t copy_hidden_ns{};           // while something was computed or communicated
  std::uint64_t kernels{};                 // copies and sets not counted
};

// A line for the whole trace, then one for each step that asked for work, for each device. Work
// belongs to the step whose host span its launch falls into, whenever it ran; without a launch in
// the trace, by its own start.
[[nodiscard]] std::vector<Breakdown> breakdowns(const EventTable& events, const DeviceWork& work,
                                                const std::vector<TraceStep>& steps);

}  // namespace ridgeline
