#pragma once

#include <vector>

#include "roofline/point.h"

namespace ridgeline {

// Fine points of a run (each of one op or kernel, shape and phase) by label, as its table and its
// pictures show them. A module or phase does several kinds of work; it is shown as the one that
// takes most of its time.
[[nodiscard]] std::vector<RooflinePoint> run_groups(const std::vector<RooflinePoint>& points,
                                                    const Ceilings& ceilings);

}  // namespace ridgeline
