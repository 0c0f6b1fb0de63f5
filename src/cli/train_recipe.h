#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/train_setup.h"
#include "trace/event_file.h"
#include "train/run.h"

namespace ridgeline {

// Everything a training was run with, every default filled in: the settings of run.json beside
// those of any run. The command line alone would be read with another version's defaults.
[[nodiscard]] nlohmann::json recipe_json(const TrainFlags& flags, const TrainSetup& setup,
                                         const TrainRequest& request);

// What of it must be the same for a resumed run to be exact, as "optimizer.momentum" and "0.9".
// Length and seed are compared apart; how many threads make the batches changes no bit.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> exact_recipe(
    const nlohmann::json& recipe);

// What the model computes, for a checkpoint that is to go on as the same: sizes of a batch, of an
// image and of a sequence are no part of it.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> architecture_of(
    const ModelSpec& model);

// What TensorBoard compares runs by.
[[nodiscard]] HParams hyperparameters(const TrainSetup& setup, const TrainRequest& request);

}  // namespace ridgeline
