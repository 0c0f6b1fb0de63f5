#pragma once

#include "report/figure.h"
#include "report/row.h"

namespace ridgeline {

// Time and throughput over what varies most: lines over a number (context, batch, ...), bars over
// names (sizes, modes). Times are medians with their interval. Rows without numbers leave a gap.
[[nodiscard]] Figure bench_figure(const Rows& rows);

// Time against the number of warm-up steps: mean with its standard deviation, and the spread.
[[nodiscard]] Figure warmup_figure(const Json& study);

}  // namespace ridgeline
