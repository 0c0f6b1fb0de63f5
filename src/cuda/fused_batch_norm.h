#pragma once

#include "engine/ops.h"

namespace ridgeline {

// `plain` with both BatchNorm ops replaced by the fused kernels. What those do not take (other
// layouts, types and sizes) still goes to the plain ones.
[[nodiscard]] Ops with_fused_batch_norm(const Ops& plain);

}  // namespace ridgeline
