#pragma once

#include "cli/train_setup.h"

namespace ridgeline {

// Flags that make no sense together, or to this kind of model. Error(BadInput) names them.
void refuse_foreign_flags(const TrainFlags& flags, bool images);
void refuse_profiling_conflicts(const TrainFlags& flags);

// Of epochs, once the data says how many steps one has.
void refuse_endless_runs(std::int64_t epochs, std::int64_t steps_per_epoch);

// Flags that nothing of what was chosen listens to; where their default is given they do no harm.
void refuse_idle_flags(const TrainFlags& flags, const TrainSetup& setup);

}  // namespace ridgeline
