#include "engine/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

at::Tensor random_like(std::int64_t seed, const std::vector<std::int64_t>& sizes,
                       at::ScalarType dtype) {
  // A fixed sequence without a generator: sines of large steps are as good as random here.
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const at::Tensor index = at::arange(count, at::kDouble).add(100 * seed);
  return index.mul(12.9898).sin().mul(43758.5453).frac().reshape(sizes).to(dtype);
}

// fp32 and bf16 parameters mixed, so that more than one group is updated.
Tensors make_parameters(at::ScalarType second) {
  Tensors parameters{random_like(1, {3, 5}, at::kFloat), random_like(2, {7}, second),
                     random_like(3, {2, 2}, at::kFloat), random_like(4, {6}, second)};
  for (at::Tensor& parameter : parameters) parameter.set_requires_grad(true);
  return parameters;
}

void set_grads(const Tensors& parameters, std::int64_t step) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor& parameter = parameters[i];
    parameter.mutable_grad() = random_like(50 * step + static_cast<std::int64_t>(i),
                                           parameter.sizes().vec(), parameter.scalar_type());
  }
}

// The definitions, one tensor at a time in fp64.
struct PlainState {
  at::Tensor value;
  at::Tensor first;
  at::Tensor second;
};

void plain_adamw(PlainState& s, const at::Tensor& grad, const OptimizerOptions& o, int step) {
  s.value = s.value * (1 - o.learning_rate * o.weight_decay);
  s.first = s.first * o.beta1 + grad * (1 - o.beta1);
  s.second = s.second * o.beta2 + grad * grad * (1 - o.beta2);
  const at::Tensor m = s.first / (1 - std::pow(o.beta1, step));
  const at::Tensor v = s.second / (1 - std::pow(o.beta2, step));
  s.value = s.value - m * o.learning_rate / (v.sqrt() + o.eps);
}

void plain_sgd(PlainState& s, const at::Tensor& grad, const OptimizerOptions& o) {
  const at::Tensor decayed = grad + s.value * o.weight_decay;
  s.first = s.first * o.momentum + decayed;
  s.value = s.value - (o.nesterov ? decayed + s.first * o.momentum : s.first) * o.learning_rate;
}

std::vector<PlainState> plain_states(const Tensors& parameters) {
  std::vector<PlainState> states;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor value = parameter.detach().to(at::kDouble).clone();
    states.push_back({value, at::zeros_like(value), at::zeros_like(value)});
  }
  return states;
}

void expect_near(const at::Tensor& ours, const at::Tensor& reference, double tolerance) {
  const double error = ours.detach().to(at::kDouble).sub(reference).abs().max().item<double>();
  EXPECT_LT(error, tolerance);
}

void compare(const OptimizerOptions& options, at::ScalarType second_dtype,
             double second_tolerance) {
  const at::NoGradGuard no_grad;
  const Tensors parameters = make_parameters(second_dtype);
  auto states = plain_states(parameters);
  const auto optimizer = make_optimizer(options, parameters);
  for (int step = 1; step <= 6; ++step) {
    set_grads(parameters, step);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor grad = parameters[i].grad().to(at::kDouble);
      if (options.kind == OptimizerKind::AdamW) {
        plain_adamw(states[i], grad, options, step);
      } else {
        plain_sgd(states[i], grad, options);
      }
    }
    optimizer->update(nullptr);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    expect_near(parameters[i], states[i].value,
                parameters[i].scalar_type() == at::kFloat ? 1e-6 : second_tolerance);
  }
}

const OptimizerOptions kAdamW{
    .kind = OptimizerKind::AdamW, .learning_rate = 0.01, .weight_decay = 0.1};
const OptimizerOptions kSgd{.kind = OptimizerKind::Sgd, .learning_rate = 0.05, .weight_decay = 0.1};

TEST(OptimizerTest, AdamWFollowsItsDefinition) { compare(kAdamW, at::kFloat, 1e-6); }

TEST(OptimizerTest, SgdWithNesterovMomentumFollowsItsDefinition) {
  compare(kSgd, at::kFloat, 1e-6);
}

TEST(OptimizerTest, SgdWithPlainMomentumFollowsItsDefinition) {
  OptimizerOptions options = kSgd;
  options.nesterov = false;
  compare(options, at::kFloat, 1e-6);
}

TEST(OptimizerTest, SgdWithoutMomentumFollowsItsDefinitionAndRemembersNothing) {
  OptimizerOptions options = kSgd;
  options.momentum = 0;
  options.nesterov = false;
  compare(options, at::kFloat, 1e-6);
  const auto optimizer = make_optimizer(options, make_parameters(at::kFloat));
  for (const at::Tensor& buffer : optimizer->state().first) EXPECT_FALSE(buffer.defined());
}

// Values are below 2, where bf16 steps are 2^-7; six roundings of value and state stay within
// these.
TEST(OptimizerTest, Bf16AndFp32ParametersAreUpdatedSideBySide) {
  compare(kAdamW, at::kBFloat16, 0.05);
  compare(kSgd, at::kBFloat16, 0.05);
}

TEST(OptimizerTest, ANonFiniteGradientLeavesEverythingAsItWas) {
  const at::NoGradGuard no_grad;
  const at::Tensor skip = at::ones({}, at::kFloat);
  const at::Tensor go = at::zeros({}, at::kFloat);
  for (const OptimizerOptions& options : {kAdamW, kSgd}) {
    const Tensors parameters = make_parameters(at::kFloat);
    const Tensors twins = make_parameters(at::kFloat);
    const auto optimizer = make_optimizer(options, parameters);
    const auto twin = make_optimizer(options, twins);
    for (std::int64_t step = 1; step <= 4; ++step) {
      set_grads(parameters, step);
      set_grads(twins, step);
      // The twin never sees step 2: moments and step count must come out the same.
      if (step != 2) twin->update(&go);
      optimizer->update(step == 2 ? &skip : &go);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      EXPECT_TRUE(at::equal(parameters[i], twins[i]));
  }
}

// Two of the four parameters are vectors.
TEST(OptimizerTest, NormsAndBiasesCanDecayByAnotherRate) {
  const at::NoGradGuard no_grad;
  for (OptimizerOptions options : {kAdamW, kSgd}) {
    const Tensors parameters = make_parameters(at::kFloat);
    const Tensors decayed = make_parameters(at::kFloat);
    const Tensors free = make_parameters(at::kFloat);
    const auto all = make_optimizer(options, decayed);
    options.norm_weight_decay = 0;
    const auto mixed = make_optimizer(options, parameters);
    options.weight_decay = 0;
    const auto none = make_optimizer(options, free);
    for (const Tensors& of : {parameters, decayed, free}) set_grads(of, 1);
    for (Optimizer* const optimizer : {all.get(), mixed.get(), none.get()})
      optimizer->update(nullptr);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      EXPECT_TRUE(at::equal(parameters[i], parameters[i].dim() > 1 ? decayed[i] : free[i])) << i;
    ASSERT_EQ(mixed->state().groups.size(), 2);
    EXPECT_EQ(mixed->state().groups[1].parameters, (std::vector<std::size_t>{1, 3}));
    EXPECT_EQ(all->state().groups.size(), 1);
  }
}

TEST(OptimizerTest, TheLearningRateCanBeChanged) {
  const at::NoGradGuard no_grad;
  const Tensors parameters = make_parameters(at::kFloat);
  const at::Tensor before = parameters[0].clone();
  const auto optimizer = make_optimizer(kAdamW, parameters);
  optimizer->set_learning_rate(0);
  set_grads(parameters, 1);
  optimizer->update(nullptr);
  EXPECT_TRUE(at::equal(parameters[0], before));
  optimizer->set_learning_rate(0.1);
  optimizer->update(nullptr);
  EXPECT_FALSE(at::equal(parameters[0], before));
}

}  // namespace
}  // namespace ridgeline
