#pragma once

#include "report/html.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The scenes, of one run by different levels, as charts to point at, and below them what the
// numbers say: sentences, a table of each run's points, the ceilings with their source, and what
// was left out. `sentences` stand in place of what would be said of each set, where its points are
// sums of finer ones that were judged.
[[nodiscard]] Page roofline_page(const std::vector<RooflineScene>& scenes,
                                 const std::vector<PointSet>& sets, const Ceilings& ceilings,
                                 const std::vector<std::string>& sentences = {});

}  // namespace ridgeline
