#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "measure/outcome.h"
#include "measure/peaks.h"
#include "measure/row_spec.h"

namespace ridgeline {

// Raw samples and what statistics make of them. What is too few for a statistic is absent.
[[nodiscard]] nlohmann::json statistics_json(std::span<const Seconds> times);

// Everything a measured row adds to its header. `peak` gives MFU, or a warning why there is none.
void add_measured(nlohmann::json& row, const RowSpec& spec, const Measured& measured,
                  const FoundPeak<FlopPerSecond>& peak);

}  // namespace ridgeline
