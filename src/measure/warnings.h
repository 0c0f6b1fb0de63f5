#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cpu.h"
#include "core/nvml.h"
#include "engine/settings.h"

namespace ridgeline {

// What a reader must know about a precision on this CPU before believing a row.
[[nodiscard]] std::optional<std::string> cpu_precision_warning(Precision precision,
                                                               const CpuFacts& cpu);

// What disturbed a GPU while a row ran: lowered clocks, other processes.
[[nodiscard]] std::vector<std::string> gpu_warnings(const GpuState& state);

}  // namespace ridgeline
