#pragma once

#include <vector>

#include "report/roofline_scene.h"

namespace ridgeline {

// From each dot of the first set to its like in the second, once: of one name that of the same
// shapes and phase; of those that are left the n-th to the n-th, as launches come in one order.
// Runs of a single point go from one to the other whatever they are called.
[[nodiscard]] std::vector<RooflineArrow> arrows_between(const RooflineScene& scene,
                                                        const std::vector<PointSet>& sets);

}  // namespace ridgeline
