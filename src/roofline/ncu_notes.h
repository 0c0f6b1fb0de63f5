#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/ncu_points.h"

namespace ridgeline {

// A sentence for each thing the reader tolerated, left out or did not find.
[[nodiscard]] std::vector<std::string> ncu_notes(const NcuReport& report, const NcuPoints& points);

// "3 values that are no numbers, the first '1*2'": without them a metric seems to be missing.
// Absent where there are none.
[[nodiscard]] std::optional<std::string> unreadable_text(const NcuNotes& read);

// What DRAM bytes, time and DRAM's own percentage say of the card's bandwidth: the median over
// kernels that kept DRAM busy enough for the percentage to be exact.
[[nodiscard]] std::optional<BytesPerSecond> implied_dram_bandwidth(
    const std::vector<RooflinePoint>& points);

}  // namespace ridgeline
