#pragma once

#include <string>

namespace ridgeline {

// Plotly, to be put into a page; empty where it is not installed, and charts are left out.
[[nodiscard]] std::string plotly_script();

}  // namespace ridgeline
