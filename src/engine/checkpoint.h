#pragma once

#include <functional>

#include "engine/tensors.h"

namespace ridgeline {

// True while a checkpointed block is run again in the backward: a block must then leave its buffers
// (BatchNorm's running statistics) alone, for the first run has updated them.
[[nodiscard]] bool recomputing() noexcept;

// Runs `block` keeping only its inputs; the backward runs it again with the same random numbers and
// autocast state. `block` may capture parameters: their gradients flow as usual.
// Random numbers drawn on a GPU during a graph's capture are not repeated: a generator cannot be
// set back there. No built-in model draws any.
[[nodiscard]] Tensors checkpoint(std::function<Tensors(const Tensors&)> block,
                                 const Tensors& inputs);

}  // namespace ridgeline
