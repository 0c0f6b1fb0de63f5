#pragma once

#include <filesystem>

#include "trace/trace.h"

namespace ridgeline {

// Reads an export of Nsight Systems (`nsys export --type sqlite`): kernels, copies, sets, runtime
// calls and NVTX ranges. Throws Error(BadInput) when it is another database or damaged.
[[nodiscard]] Trace read_nsys_trace(const std::filesystem::path& path);

}  // namespace ridgeline
