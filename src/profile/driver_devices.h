#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <vector>

#include "profile/trace_writer.h"

namespace ridgeline {

// These GPUs as the CUDA driver describes them, for whoever has no plugin of ours to ask: only what
// it answers for, so none where there is no driver. For a process that has used them: it is loaded
// and initialised then, and asking starts nothing.
[[nodiscard]] std::vector<TraceDevice> driver_devices(
    const std::set<std::uint32_t>& numbers, const std::filesystem::path& driver = "libcuda.so.1");

}  // namespace ridgeline
