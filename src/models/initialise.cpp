#include "models/initialise.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>

#include <cmath>
#include <numbers>

#include "engine/placement.h"

namespace ridgeline {
namespace {

at::Generator seeded_generator(std::uint64_t seed, const Device& device) {
  if (device.kind == DeviceKind::Cpu) return at::detail::createCPUGenerator(seed);
  at::Generator generator = at::globalContext().defaultGenerator(torch_device(device)).clone();
  generator.set_current_seed(seed);
  return generator;
}

}  // namespace

struct Initialiser::State {
  at::Generator generator;
  at::TensorOptions options;
};

Initialiser::Initialiser(std::uint64_t seed, const Device& device)
    : state_(std::make_unique<State>(
          State{.generator = seeded_generator(seed, device),
                .options = at::TensorOptions(torch_device(device)).dtype(at::kFloat)})) {}

Initialiser::~Initialiser() = default;

at::Tensor Initialiser::constant(Sizes sizes, double value) const {
  return at::full(sizes, value, state_->options).requires_grad_(true);
}

at::Tensor Initialiser::normal(Sizes sizes, double deviation) {
  return at::empty(sizes, state_->options)
      .normal_(0, deviation, state_->generator)
      .requires_grad_(true);
}

at::Tensor Initialiser::truncated_normal(Sizes sizes, double deviation) {
  // A uniform number between the cut-offs' quantiles, mapped back through the inverse error
  // function.
  const double edge = std::erf(3 / std::numbers::sqrt2);
  return at::empty(sizes, state_->options)
      .uniform_(-edge, edge, state_->generator)
      .erfinv_()
      .mul_(deviation * std::numbers::sqrt2)
      .requires_grad_(true);
}

at::Tensor Initialiser::uniform(Sizes sizes, double bound) {
  return at::empty(sizes, state_->options)
      .uniform_(-bound, bound, state_->generator)
      .requires_grad_(true);
}

at::Tensor Initialiser::integers(Sizes sizes, long low, long high) {
  return at::randint(low, high, sizes, state_->generator, state_->options.dtype(at::kLong));
}

}  // namespace ridgeline
