#pragma once

#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// By track: whether its ops take the step's time. These are the threads that hold the marks of
// steps and autograd's, whose ops run while those wait; what others do runs beside the step. All of
// them where that cannot be told: no steps, or no op on the threads that hold the marks.
[[nodiscard]] std::vector<bool> step_threads(const EventTable& events,
                                             const std::vector<TraceStep>& steps);

}  // namespace ridgeline
