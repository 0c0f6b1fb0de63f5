#pragma once

#include "engine/optimizer.h"

namespace ridgeline {

// torch.optim.Muon with Nesterov momentum and torch's "original" adjustment of the rate, for the
// parameters at `matrices`; `options.rest` for all others. Throws Error(BadInput) where there is no
// matrix.
[[nodiscard]] std::unique_ptr<Optimizer> make_muon(const OptimizerOptions& options,
                                                   const Tensors& parameters,
                                                   const std::vector<std::size_t>& matrices);

}  // namespace ridgeline
