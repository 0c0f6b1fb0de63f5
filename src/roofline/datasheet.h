#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "roofline/ceilings.h"

namespace ridgeline {

// Peaks as the makers print them, for files that come from another machine: dense (no sparsity),
// at boost clock, accumulating in FP32 where the rate depends on it. Real work stays below these;
// peaks that were measured are better wherever there are any.

// "A100-40GB", "H100-SXM", "L4", ...
[[nodiscard]] std::vector<std::string_view> datasheet_names();

// Case, blanks, dashes and the maker's name do not matter: "nvidia l4" is L4. Throws
// Error(BadInput) with the nearest name for one that is not there.
[[nodiscard]] Ceilings datasheet(std::string_view name);

// For the name that a driver or profiler gives ("NVIDIA A100-SXM4-40GB"); absent when unknown.
[[nodiscard]] std::optional<Ceilings> datasheet_of_device(std::string_view device_name);

}  // namespace ridgeline
