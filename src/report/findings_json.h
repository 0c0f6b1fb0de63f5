#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trace/profile_facts.h"

namespace ridgeline {

// The findings with their ids, in the order they are told: [{"id": "mfu", "text": "MFU is ..."}].
[[nodiscard]] nlohmann::json findings_json(const ProfileFacts& facts);
// All levers that apply, the most promising first, with upper bounds as parts of the step's time
// and of the peak memory; one that wins none of either has no such key.
[[nodiscard]] nlohmann::json targets_json(const ProfileFacts& facts);

}  // namespace ridgeline
