#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/train_flags.h"
#include "data/transform.h"
#include "train/run.h"

namespace ridgeline {

// The file that --weights names; for `imagenet` torchvision's of this model, fetched into the cache
// the first time. Throws Error(BadInput) when there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_weights(const TrainFlags& flags,
                                                                const ModelSpec& model, bool say);

// What the images were normalised with that a checkpoint of ours was trained on; absent in any
// other file.
[[nodiscard]] std::optional<Normalisation> kept_normalisation(const std::filesystem::path& weights);

// "mean 0.4914 0.4822 0.4465, deviation 0.2023 0.1994 0.201"
[[nodiscard]] std::string text_of(const Normalisation& normalisation);

// A remark where weights are trained on with another normalisation than theirs; else empty.
[[nodiscard]] std::string other_normalisation(const TrainRequest& request);

}  // namespace ridgeline
