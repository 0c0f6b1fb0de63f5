#pragma once

#include <optional>
#include <vector>

#include "report/html.h"
#include "report/trace_tables.h"

namespace ridgeline {

// The page of an analysis: facts, comparison or ranks where there are any, then each trace's tables
// and a chart of its breakdown.
[[nodiscard]] Page trace_page(const std::vector<TraceAnalysis>& traces,
                              const std::optional<TraceComparison>& change,
                              const TraceTableOptions& options);

}  // namespace ridgeline
