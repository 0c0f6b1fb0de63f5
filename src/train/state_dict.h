#pragma once

#include "engine/learner.h"
#include "train/trainer.h"
#include "train/weight_average.h"

namespace ridgeline {

// Parameters and buffers in the order of torch's state_dict, sharing storage.
[[nodiscard]] NamedTensors state_tensors(const Model& model);

// The learner's whole state as a Python checkpoint lays it out: `model`, `optimizer` (which
// torch.optim loads), and where they exist `scaler` and `ema`.
[[nodiscard]] Value save_state(Learner& learner, const OptimizerOptions& options,
                               const WeightAverage* average);
// Checks everything first: Error(BadInput) leaves the learner as it was.
void restore_state(Learner& learner, WeightAverage* average, const Value& state);

// Weights by name into the model. A head with another number of classes keeps its fresh values.
[[nodiscard]] LoadedWeights load_state(const Model& model, const NamedArrays& arrays);

}  // namespace ridgeline
