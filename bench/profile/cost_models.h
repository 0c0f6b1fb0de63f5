#pragma once

#include <memory>
#include <string_view>

#include "engine/engine.h"
#include "engine/settings.h"
#include "engine/workload.h"

namespace ridgeline {

// A training step in bf16 on the GPU, of "small" (a transformer, context 256, batch 4) or
// "resnet18" (32², batch 128): those whose profile's cost is told.
[[nodiscard]] std::unique_ptr<Workload> make_cost_workload(const Engine& engine,
                                                           std::string_view model, Mode mode);

}  // namespace ridgeline
