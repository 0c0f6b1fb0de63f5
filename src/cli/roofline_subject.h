#pragma once

#include <optional>
#include <vector>

#include "cli/roofline_points.h"
#include "cli/session.h"

namespace ridgeline {

// What this machine can do, measured or from the cache: the products of each setting's precision
// and of fp32, and main memory; everything where other levels are asked for too.
[[nodiscard]] Ceilings ceilings_here(const Engine& engine, const std::vector<RowSpec>& specs,
                                     const std::vector<MemoryLevel>& levels);

// Records a few steps of a setting and makes points of them. Throws what `profile` throws; absent
// when the user interrupted.
[[nodiscard]] std::optional<RooflineRun> roofline_of(const Session& session, const RowSpec& spec,
                                                     const RooflineRequest& request,
                                                     const Ceilings& ceilings);

}  // namespace ridgeline
