#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profile/module_table.h"
#include "profile/op_table.h"
#include "profile/profile_steps.h"

namespace ridgeline {

// What profile.json holds, in seconds, bytes and FLOPs: steps, cost, ops, modules, memory, gaps;
// sums over all recorded steps. A key that cannot be known is absent.
[[nodiscard]] nlohmann::json profile_json(const ProfileResult& result, const OpTable& ops,
                                          const ModuleTable& modules);

// A line for each thing that the recording lacks; empty in the normal case.
[[nodiscard]] std::vector<std::string> gap_lines(const RecordingGaps& gaps);

}  // namespace ridgeline
