#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/roofline_points.h"
#include "cli/session.h"

namespace ridgeline {

// What this machine can do, measured or from the cache, and the rate that its products are held to,
// which utilisations are of.
struct RoofsHere {
  Ceilings ceilings{};
  std::map<Precision, FlopPerSecond> products{};
  std::map<Precision, std::string> without_product{};  // why there are no utilisations
};
[[nodiscard]] RoofsHere roofs_here(const Engine& engine, const std::vector<RowSpec>& specs,
                                   const std::vector<MemoryLevel>& levels);

// Records a few steps of a setting and makes points of them. Throws what `profile` throws; absent
// when the user interrupted.
[[nodiscard]] std::optional<RooflineRun> roofline_of(const Session& session, const RowSpec& spec,
                                                     const RooflineRequest& request,
                                                     const RoofsHere& roofs);

}  // namespace ridgeline
