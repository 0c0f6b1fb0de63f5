#include "engine/newton_schulz.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "engine/muon_plan.h"

namespace ridgeline {

// The quintic iteration x <- a x + (b g + c g g) x with g = x x^T, from Frobenius norm 1. A tall
// matrix is multiplied from the other side, with g = x^T x: the same without transposing it, and g
// is always the smaller of the two.
at::Tensor orthogonalised(const at::Tensor& stack) {
  at::Tensor x = stack.to(stack.is_cuda() ? at::kBFloat16 : at::kFloat);
  const bool tall = x.size(1) > x.size(2);
  const at::Tensor norm = at::linalg_vector_norm(x, 2, at::IntArrayRef{1, 2}, /*keepdim=*/true);
  x = x.div(norm.clamp_min(NewtonSchulz::kEps));
  for (int step = 0; step < NewtonSchulz::kSteps; ++step) {
    const at::Tensor transposed = x.transpose(1, 2);
    const at::Tensor gram = tall ? at::bmm(transposed, x) : at::bmm(x, transposed);
    const at::Tensor factor = at::baddbmm(gram, gram, gram, NewtonSchulz::kB, NewtonSchulz::kC);
    x = tall ? at::baddbmm(x, x, factor, NewtonSchulz::kA)
             : at::baddbmm(x, factor, x, NewtonSchulz::kA);
  }
  return x;
}

}  // namespace ridgeline
