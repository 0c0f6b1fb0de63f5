#pragma once

#include "engine/engine.h"
#include "models/spec.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What the model and the machine tell of a step, and no recording could: its work, the peaks that
// were measured here, the memory there is. Measures peaks that are not cached yet, a few seconds.
[[nodiscard]] ProfileFacts known_facts(const ModelSpec& model, const RunSettings& settings,
                                       const Engine& engine);

}  // namespace ridgeline
