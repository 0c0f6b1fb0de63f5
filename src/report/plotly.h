#pragma once

#include <vector>

#include "report/figure.h"
#include "report/html.h"

namespace ridgeline {

// The figure's panels as charts of a page.
[[nodiscard]] std::vector<Chart> plotly_charts(const Figure& figure);

// Every sample of every measured row: how they scatter about the row's median, and in which order
// they came (drift, bursts). Empty when no row kept its samples.
[[nodiscard]] std::vector<Chart> sample_charts(const Rows& rows);

}  // namespace ridgeline
