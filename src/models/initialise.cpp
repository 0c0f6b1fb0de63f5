#include "models/initialise.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <numbers>

namespace ridgeline {

Initialiser::Initialiser(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

at::Tensor Initialiser::constant(at::IntArrayRef sizes, double value) const {
  return at::full(sizes, value, at::kFloat).requires_grad_(true);
}

at::Tensor Initialiser::normal(at::IntArrayRef sizes, double deviation) {
  return at::empty(sizes, at::kFloat).normal_(0, deviation, generator_).requires_grad_(true);
}

at::Tensor Initialiser::truncated_normal(at::IntArrayRef sizes, double deviation) {
  // A uniform number between the cut-offs' quantiles, mapped back through the inverse error
  // function.
  const double edge = std::erf(3 / std::numbers::sqrt2);
  return at::empty(sizes, at::kFloat)
      .uniform_(-edge, edge, generator_)
      .erfinv_()
      .mul_(deviation * std::numbers::sqrt2)
      .requires_grad_(true);
}

at::Tensor Initialiser::uniform(at::IntArrayRef sizes, double bound) {
  return at::empty(sizes, at::kFloat).uniform_(-bound, bound, generator_).requires_grad_(true);
}

at::Tensor Initialiser::integers(at::IntArrayRef sizes, long low, long high) {
  return at::randint(low, high, sizes, generator_, at::TensorOptions(at::kLong));
}

}  // namespace ridgeline
