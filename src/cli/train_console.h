#pragma once

#include <string>

#include "cli/train_setup.h"
#include "train/run.h"

namespace ridgeline {

// The lines of `train`: what will be done, how it goes, how it went.
[[nodiscard]] std::string configuration_text(const TrainSetup& setup, const LoopPlan& plan,
                                             const std::string& data);
[[nodiscard]] std::string step_line(const StepReport& report, const LoopPlan& plan, bool images);
[[nodiscard]] std::string epoch_line(const EpochReport& report, const LoopPlan& plan,
                                     std::string_view judged);
[[nodiscard]] std::string closing_text(const TrainOutcome& outcome, const TrainSetup& setup,
                                       std::int64_t tokens_a_sample);

}  // namespace ridgeline
