#pragma once

#include <cstddef>
#include <memory>

#include "engine/backend.h"

namespace ridgeline {

// Marks are timed CUDA events on the current stream.
[[nodiscard]] std::unique_ptr<StepClock> make_cuda_clock(std::size_t points);

}  // namespace ridgeline
