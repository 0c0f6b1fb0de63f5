#pragma once

#include "report/html.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The scene as a chart to point at, and below it what the numbers say: sentences, a table of each
// run's points, the ceilings with their source, and what was left out. `sentences` stand in place
// of what would be said of each set, where its points are sums of finer ones that were judged.
[[nodiscard]] Page roofline_page(const RooflineScene& scene, const std::vector<PointSet>& sets,
                                 const Ceilings& ceilings,
                                 const std::vector<std::string>& sentences = {});

}  // namespace ridgeline
