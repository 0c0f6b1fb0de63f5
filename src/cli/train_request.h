#pragma once

#include <filesystem>
#include <optional>

#include "cli/session.h"
#include "cli/train_data.h"
#include "cli/train_setup.h"
#include "core/run_folder.h"
#include "train/performance_summary.h"
#include "train/run.h"

namespace ridgeline {

// The training that flags and data describe together.
[[nodiscard]] TrainRequest request_for(const TrainFlags& flags, const TrainSetup& setup,
                                       const TrainData& data,
                                       const std::optional<std::filesystem::path>& weights,
                                       const RunFolder& folder);

[[nodiscard]] SummaryFacts summary_facts(const TrainFlags& flags, const TrainSetup& setup,
                                         const TrainRequest& request, const Session& session);

}  // namespace ridgeline
