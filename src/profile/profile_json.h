#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profile/profile_document.h"

namespace ridgeline {

// What profile.json holds, in seconds, bytes and FLOPs: steps, cost, ops, kernels, modules, memory,
// gaps, findings and targets; sums over all recorded steps. A key that cannot be known is absent.
[[nodiscard]] nlohmann::json profile_json(const ProfileDocument& profile);

// A line for each thing that the recording lacks; empty in the normal case.
[[nodiscard]] std::vector<std::string> gap_lines(const RecordingGaps& gaps);

}  // namespace ridgeline
