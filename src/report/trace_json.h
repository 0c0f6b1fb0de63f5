#pragma once

#include <optional>
#include <vector>

#include "report/row.h"
#include "trace/analysis.h"
#include "trace/comparison.h"

namespace ridgeline {

// Everything an analysis holds, nothing rounded: times in whole nanoseconds. Names that are no
// UTF-8 are mended, or JSON could not carry them.
[[nodiscard]] Json trace_json(const TraceAnalysis& analysis);
[[nodiscard]] Json comparison_json(const TraceComparison& change);

// {"schema": 1, "traces": [...], "comparison": {...}}; docs/analyze.md lists the keys.
[[nodiscard]] Json analyses_json(const std::vector<TraceAnalysis>& traces,
                                 const std::optional<TraceComparison>& change);

}  // namespace ridgeline
