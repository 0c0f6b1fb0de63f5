#pragma once

#include <optional>

#include "engine/engine.h"
#include "models/spec.h"
#include "profile/occupancy.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What the model and the machine tell of a step, and no recording could: its work, the peaks that
// were measured here, the memory there is. Measures peaks that are not cached yet, a few seconds.
[[nodiscard]] ProfileFacts known_facts(const ModelSpec& model, const RunSettings& settings,
                                       const Engine& engine);

// What estimates of occupancy need to know; absent on a CPU.
[[nodiscard]] std::optional<GpuShape> gpu_shape(const Engine& engine, const Device& device);

}  // namespace ridgeline
