#pragma once

#include "engine/tensors.h"

namespace ridgeline {

// Adds the gradients of `roots`, weighted by `seeds` (one for each, of its shape), to the leaves
// they were made from, and frees the graph behind them. The same nodes in the same order with the
// same sums as torch::autograd::backward, hence the same bits. Torch's engine serves any thread and
// stream, for which it exchanges all thread-local state twice a node; this one runs on the calling
// thread and is for graphs whose forward ran there, on the stream that is current now, and that
// have no hooks.
void differentiate(const Tensors& roots, Tensors seeds);

}  // namespace ridgeline
