#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/points_file.h"

namespace ridgeline {

// What a reader of points under roofs should be told; each absent where there is nothing to tell.

// That points lie above a ceiling, which nothing can.
[[nodiscard]] std::optional<std::string> above_ceiling_remark(const std::vector<PointSet>& sets,
                                                              const Ceilings& ceilings);
// That points of one machine stand under the roofs of another.
[[nodiscard]] std::optional<std::string> other_machine_remark(const std::vector<PointSet>& sets,
                                                              const Ceilings& ceilings);
// What would have ncu count a level's bytes, where the points are ncu's; else empty.
[[nodiscard]] std::string how_to_collect(const std::vector<PointSet>& sets, MemoryLevel level);

}  // namespace ridgeline
