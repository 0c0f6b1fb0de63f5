#pragma once

#include <string_view>

namespace ridgeline {

// The page's style sheet and the script that draws its charts.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

}  // namespace ridgeline
