#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/figure.h"

namespace ridgeline {

// A panel of stacked areas: its data, `frame` (title and axes), its callouts and the plot command.
[[nodiscard]] std::string gnuplot_areas(const Panel& panel, std::size_t panel_index,
                                        std::string_view frame);

}  // namespace ridgeline
