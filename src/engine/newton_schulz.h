#pragma once

#include "engine/tensors.h"

namespace ridgeline {

// Near the nearest orthogonal matrix of each of a stack (count, rows, columns): singular values of
// about 0.7 to 1.2 where they were not far below the largest. In bf16 on a GPU, whose tensor cores
// are many times as fast with it, and which torch.optim.Muon uses everywhere; in fp32 on a CPU,
// where bf16 products are no faster.
[[nodiscard]] at::Tensor orthogonalised(const at::Tensor& stack);

}  // namespace ridgeline
