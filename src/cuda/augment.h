#pragma once

#include <optional>
#include <string>

#include "engine/backend.h"

namespace ridgeline {

// Backend::augment by the kernel, on the current stream.
[[nodiscard]] std::optional<std::string> cuda_augment_obstacle(const AugmentJob& job);
void cuda_augment(const AugmentJob& job);

}  // namespace ridgeline
