#pragma once

#include "report/html.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The scene as a chart to point at, and below it what the numbers say: sentences, a table of each
// run's points, the ceilings with their source, and what was left out.
[[nodiscard]] Page roofline_page(const RooflineScene& scene, const std::vector<PointSet>& sets,
                                 const Ceilings& ceilings);

}  // namespace ridgeline
