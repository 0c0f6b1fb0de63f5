#pragma once

#include <filesystem>
#include <optional>

#include "cli/session.h"
#include "cli/train_data.h"
#include "cli/train_flags.h"
#include "cli/train_setup.h"
#include "core/run_folder.h"
#include "trace/event_file.h"
#include "train/performance_summary.h"
#include "train/run.h"

namespace ridgeline {

// What flags, setup and data come to for the training itself. Throws Error(BadInput) for flags that
// contradict each other.
[[nodiscard]] TrainRequest request_for(const TrainFlags& flags, const TrainSetup& setup,
                                       const TrainData& data,
                                       const std::optional<std::filesystem::path>& weights,
                                       const RunFolder& folder);

// The same for TensorBoard's HParams, and for performance_summary.json.
[[nodiscard]] HParams hyperparameters(const TrainSetup& setup, const TrainRequest& request);
[[nodiscard]] SummaryFacts summary_facts(const TrainFlags& flags, const TrainSetup& setup,
                                         const TrainRequest& request, const Session& session);

}  // namespace ridgeline
