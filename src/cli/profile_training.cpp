#include "cli/profile_training.h"

namespace ridgeline {

ProfiledTraining make_profiled_training(const TrainFlags& flags, const Session& session,
                                        std::int64_t most_steps, FrameHooks::Clock clock) {
  ProfiledTraining training{.setup = resolve(flags, session.device)};
  TrainSetup& setup = training.setup;
  Backend& backend = session.engine.backend(session.device);
  training.data = std::make_unique<TrainData>(flags.data, setup, backend, talks(flags.common));
  setup.model = training.data->model();
  const TrainSettings settings{
      .run = setup.run,
      .optimizer = setup.optimizer,
      .normalisation = setup.train_transform.normalisation,
      .learning_rates = std::vector<float>(static_cast<std::size_t>(most_steps),
                                           static_cast<float>(setup.optimizer.learning_rate))};
  training.batches = std::make_unique<WatchedBatches>(training.data->batches(), clock);
  training.workload = std::make_unique<FedWorkload>(
      make_trainer(session.engine, setup.model, settings), *training.batches,
      static_cast<std::size_t>(setup.run.accumulation));
  return training;
}

}  // namespace ridgeline
