#pragma once

#include "profile/profile_steps.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What the rules of trace/findings.h may know of these steps. `known` holds what no recording can
// tell (work, peaks, capacity) and is filled up. The step's time comes from the steps without the
// profiler where there were any.
[[nodiscard]] ProfileFacts facts_of(const ProfileResult& result, ProfileFacts known);

}  // namespace ridgeline
