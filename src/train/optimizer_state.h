#pragma once

#include "engine/optimizer.h"
#include "train/restore_plan.h"

namespace ridgeline {

// What the optimizer remembers as torch.optim lays it out: `state` by number and `param_groups`.
[[nodiscard]] Value save_optimizer(Optimizer& optimizer, const OptimizerOptions& options);
// Throws Error(BadInput) where `saved` is of another optimizer or of other parameters.
void plan_optimizer(RestorePlan& plan, Optimizer& optimizer, const Value* saved);

}  // namespace ridgeline
