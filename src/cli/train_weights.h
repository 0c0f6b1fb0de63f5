#pragma once

#include <filesystem>
#include <optional>

#include "cli/train_flags.h"

namespace ridgeline {

// The file that --weights names; for `imagenet` torchvision's of this model, fetched into the cache
// the first time. Throws Error(BadInput) when there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_weights(const TrainFlags& flags,
                                                                const ModelSpec& model, bool say);

}  // namespace ridgeline
