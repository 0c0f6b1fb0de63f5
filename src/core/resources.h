#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ridgeline {

// A file that comes with the program (presets, plotly.min.js): in share/ridgeline beside it in a
// build folder, one level up in a package.
[[nodiscard]] std::optional<std::filesystem::path> find_resource(std::string_view name);

}  // namespace ridgeline
