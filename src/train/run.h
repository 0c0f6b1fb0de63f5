#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "train/checkpoint.h"
#include "train/loop.h"
#include "train/saver.h"
#include "train/schedule.h"

namespace ridgeline {

struct ProfilePlan {
  std::int64_t warmup_steps = 20;
  std::int64_t steps = 1;
};

struct TrainRequest {
  ModelSpec model{};
  TrainSettings settings{};
  Schedule schedule{};
  LoopPlan plan{};
  CheckpointFacts facts{};
  SavePlan save{};
  std::optional<std::filesystem::path> weights{};
  std::optional<std::filesystem::path> resume{};
  std::optional<ProfilePlan> profile{};  // ends after the profiled steps
};

struct TrainHooks {
  AroundStep around_step = take_alone;
  std::function<void(const std::string&)> said = [](const std::string&) {};  // a line for people
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const StepReport&)> reported = [](const StepReport&) {};
  std::function<void(const EpochReport&)> epoch_ended = [](const EpochReport&) {};
  // Something else than steps follows: a test, a checkpoint.
  std::function<void()> steps_pause = [] {};
};

struct TrainOutcome {
  LoopResult loop{};
  MemoryUse memory{};
  std::vector<std::filesystem::path> files{};  // written, in order, each once
};

// Empty without a test set.
using Evaluate = std::function<std::optional<Score>(Trainer&)>;

// One whole training: weights, resume, loop, checkpoints. Throws what goes wrong before the first
// step; later it is in the outcome, whose loop then Failed. Out of memory becomes an Error(Memory)
// that names a batch that fits.
[[nodiscard]] TrainOutcome train(const Engine& engine, const TrainRequest& request,
                                 BatchSource& source, const Evaluate& evaluate,
                                 const TrainHooks& hooks);

[[nodiscard]] std::unique_ptr<Trainer> make_trainer(const Engine& engine, const ModelSpec& model,
                                                    const TrainSettings& settings);
// Loads the file into the trainer and says what was loaded.
LoadedWeights load_weights(Trainer& trainer, const std::filesystem::path& file,
                           const std::function<void(const std::string&)>& say);

}  // namespace ridgeline
