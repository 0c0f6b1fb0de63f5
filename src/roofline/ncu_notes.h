#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/ncu_points.h"

namespace ridgeline {

// A sentence for each thing the reader tolerated, left out or did not find.
[[nodiscard]] std::vector<std::string> ncu_notes(const NcuReport& report, const NcuPoints& points);

// The median over kernels that kept DRAM busy enough for the percentage to be exact.
[[nodiscard]] std::optional<BytesPerSecond> implied_dram_bandwidth(
    const std::vector<RooflinePoint>& points);

}  // namespace ridgeline
