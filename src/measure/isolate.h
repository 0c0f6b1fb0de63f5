#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/row_spec.h"

namespace ridgeline {

// The hidden command that a child process runs: a row specification on standard input, the row on
// standard output.
inline constexpr const char* kMeasureRowCommand = "measure-row";

// Measures the row in a fresh process, so that nothing is warm and that even a killed or crashed
// one is a row. `environment` is added to the child's.
[[nodiscard]] nlohmann::json measure_row_isolated(
    const RowSpec& spec, const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace ridgeline
