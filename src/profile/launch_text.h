#pragma once

#include <string>

#include "profile/records.h"
#include "profile/trace_writer.h"

namespace ridgeline {

// What PyTorch's profiler works out of a kernel's launch, as further members of "args": blocks and
// warps for each multiprocessor, estimated occupancy. TensorBoard's plugin makes its tables of
// kernels and the GPU's efficiency of them. Empty where the device is not known well enough.
[[nodiscard]] std::string launch_arguments(const DeviceRecord& kernel, const TraceDevice& device);

}  // namespace ridgeline
