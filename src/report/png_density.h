#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

// The PNG with its resolution written into it (chunk pHYs), so that it prints at its true size:
// gnuplot leaves that out. A picture that has one, or is no PNG, comes back as it was.
[[nodiscard]] std::string with_png_density(std::string_view png, int dots_per_inch);

}  // namespace ridgeline
