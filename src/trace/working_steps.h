#pragma once

#include <cstdint>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// The steps that figures "a step" may be divided by.
struct WorkingSteps {
  std::vector<TraceStep> steps{};
  std::uint64_t left_out{};
};

// Without those at both ends in which nothing was asked for: a profiler that starts or stops in the
// middle of a step leaves the mark of it, and counted it would halve what two steps took. Without a
// device the ops of the host are the work; where no step has any, all stay.
[[nodiscard]] WorkingSteps working_steps(const EventTable& events, const DeviceWork& work);

}  // namespace ridgeline
