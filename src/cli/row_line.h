#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace ridgeline {

// One row on one terminal line, as it ends: what was measured, or why not.
[[nodiscard]] std::string row_line(const nlohmann::json& row, const std::string& description);

}  // namespace ridgeline
