#pragma once

#include <memory>

#include "cli/session.h"
#include "cli/train_data.h"
#include "train/fed_workload.h"
#include "train/watched_batches.h"

namespace ridgeline {

// What `profile --data` steps: the training that `train` would do with these flags, loader
// included.
struct ProfiledTraining {
  std::unique_ptr<TrainData> data{};          // outlives what follows
  std::unique_ptr<WatchedBatches> batches{};  // of `data`
  std::unique_ptr<FedWorkload> workload{};
  TrainSetup setup{};
};

// `most_steps` bounds how often it can step, `clock` is that of the records.
[[nodiscard]] ProfiledTraining make_profiled_training(const TrainFlags& flags,
                                                      const Session& session,
                                                      std::int64_t most_steps,
                                                      FrameHooks::Clock clock);

}  // namespace ridgeline
