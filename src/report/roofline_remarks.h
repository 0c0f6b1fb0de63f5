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
// That FLOPs stand under no ceiling, for the peak of their format is not known.
[[nodiscard]] std::optional<std::string> without_peak_remark(const std::vector<PointSet>& sets,
                                                             const Ceilings& ceilings);
// That a file of ncu contradicts the bandwidth it is held to: a peak of another card, or clock.
[[nodiscard]] std::optional<std::string> contradiction_remark(const PointSet& set,
                                                              const Ceilings& ceilings);
// What files of ncu leave out or lack. Other points have such notes in the report of their run.
[[nodiscard]] std::vector<std::string> file_notes(const std::vector<PointSet>& sets);
// That points of one machine stand under the roofs of another.
[[nodiscard]] std::optional<std::string> other_machine_remark(const std::vector<PointSet>& sets,
                                                              const Ceilings& ceilings);
// What would have ncu count a level's bytes, where the points are ncu's; else empty.
[[nodiscard]] std::string how_to_collect(const std::vector<PointSet>& sets, MemoryLevel level);

}  // namespace ridgeline
