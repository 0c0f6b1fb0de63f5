#include "engine/muon.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "engine/newton_schulz.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

at::Tensor made(std::int64_t seed, at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const at::Tensor index = at::arange(count, at::kDouble).add(100 * seed);
  return index.mul(12.9898).sin().mul(43758.5453).frac().reshape(sizes).to(at::kFloat);
}

const OptimizerOptions kOptions{.kind = OptimizerKind::Muon,
                                .learning_rate = 0.4,
                                .weight_decay = 5e-4,
                                .rest = OptimizerKind::Sgd};
// Wide, tall and square; two of one shape; filters; and at places 1 and 5 what is no matrix.
const std::vector<std::vector<std::int64_t>> kSizes{{4, 6}, {6}, {6, 4}, {4, 6}, {3, 2, 2, 2}, {3}};
const std::vector<std::size_t> kMatrices{0, 2, 3, 4};

Tensors make_parameters() {
  Tensors parameters;
  for (std::size_t i = 0; i < kSizes.size(); ++i)
    parameters.push_back(made(static_cast<std::int64_t>(i), kSizes[i]).set_requires_grad(true));
  return parameters;
}

void set_grads(const Tensors& parameters, std::int64_t step) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i].mutable_grad() =
        made(50 * step + static_cast<std::int64_t>(i), parameters[i].sizes());
}

// torch.optim.Muon's definition, a matrix at a time in fp64.
at::Tensor plain_newton_schulz(const at::Tensor& matrix) {
  const bool tall = matrix.size(0) > matrix.size(1);
  at::Tensor x = tall ? matrix.t() : matrix;
  x = x / x.norm().clamp_min(1e-7);
  for (int i = 0; i < 5; ++i) {
    const at::Tensor gram = at::mm(x, x.t());
    x = x * 3.4445 + at::mm(gram * -4.7750 + at::mm(gram, gram) * 2.0315, x);
  }
  return tall ? x.t() : x;
}

struct PlainMuon {
  at::Tensor value, momentum;
  void step(const at::Tensor& grad, double rate, double decay, double mu) {
    momentum = momentum.lerp(grad, 1 - mu);
    const at::Tensor ahead = grad.lerp(momentum, mu);
    const at::Tensor change = plain_newton_schulz(ahead.flatten(1)).reshape(value.sizes());
    const double ratio = static_cast<double>(value.size(0)) /
                         (static_cast<double>(value.numel()) / static_cast<double>(value.size(0)));
    value = value * (1 - rate * decay) - change * (rate * std::sqrt(std::max(1.0, ratio)));
  }
};

double furthest(const at::Tensor& a, const at::Tensor& b) {
  return a.detach().to(at::kDouble).sub(b.detach().to(at::kDouble)).abs().max().item<double>();
}

TEST(NewtonSchulzTest, SingularValuesComeNearOne) {
  for (const auto& [rows, columns] :
       {std::pair{8L, 30L}, std::pair{30L, 8L}, std::pair{16L, 16L}}) {
    const at::Tensor stack = orthogonalised(made(7, {3, rows, columns}));
    const at::Tensor values = at::linalg_svdvals(stack.to(at::kDouble));
    EXPECT_GT(values.min().item<double>(), 0.3) << rows;
    EXPECT_LT(values.max().item<double>(), 1.3) << rows;
    EXPECT_NEAR(values.mean().item<double>(), 0.9, 0.2) << rows;
  }
}

TEST(NewtonSchulzTest, ADiagonalMatrixKeepsItsVectors) {
  const at::Tensor x = at::diag(at::tensor({3.F, -2.F, 1.5F})).unsqueeze(0);
  const at::Tensor y = orthogonalised(x)[0];
  EXPECT_LT(furthest(y, at::diag(y.diagonal())), 1e-6);
  EXPECT_LT(y[1][1].item<double>(), -0.6);
}

TEST(NewtonSchulzTest, AZeroMatrixStaysZero) {
  EXPECT_EQ(orthogonalised(at::zeros({1, 3, 4})).abs().max().item<double>(), 0);
}

TEST(MuonTest, FollowsItsDefinitionAndTheRestThatOfSgd) {
  const at::NoGradGuard no_grad;
  const Tensors parameters = make_parameters();
  const Tensors vectors{parameters[1].clone().set_requires_grad(true),
                        parameters[5].clone().set_requires_grad(true)};
  std::vector<PlainMuon> plain;
  for (const std::size_t place : kMatrices) {
    const at::Tensor value = parameters[place].detach().to(at::kDouble);
    plain.push_back({value, at::zeros_like(value)});
  }
  OptimizerOptions sgd = kOptions;
  sgd.kind = OptimizerKind::Sgd;
  const auto rest = make_optimizer(sgd, vectors);
  const auto muon = make_optimizer(kOptions, parameters, kMatrices);
  for (std::int64_t step = 1; step <= 4; ++step) {
    // The schedule halves both rates alike.
    const double scale = step < 3 ? 1 : 0.5;
    muon->set_learning_rate(0.4 * scale);
    rest->set_learning_rate(0.4 * scale);
    set_grads(parameters, step);
    vectors[0].mutable_grad() = parameters[1].grad().clone();
    vectors[1].mutable_grad() = parameters[5].grad().clone();
    for (std::size_t i = 0; i < plain.size(); ++i)
      plain[i].step(parameters[kMatrices[i]].grad().to(at::kDouble), 0.02 * scale, 0.1, 0.95);
    muon->update(nullptr);
    rest->update(nullptr);
  }
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_LT(furthest(parameters[kMatrices[i]], plain[i].value), 1e-6) << i;
  EXPECT_TRUE(at::equal(parameters[1], vectors[0]));
  EXPECT_TRUE(at::equal(parameters[5], vectors[1]));
}

TEST(MuonTest, MatricesOfOneShapeComeOutAsOneByOne) {
  const at::NoGradGuard no_grad;
  const Tensors together{made(1, {5, 9}).set_requires_grad(true),
                         made(2, {5, 9}).set_requires_grad(true)};
  const auto both = make_optimizer(kOptions, together, {0, 1});
  set_grads(together, 1);
  both->update(nullptr);
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensors one{made(static_cast<std::int64_t>(i) + 1, {5, 9}).set_requires_grad(true)};
    one[0].mutable_grad() = together[i].grad();
    make_optimizer(kOptions, one, {0})->update(nullptr);
    EXPECT_LT(furthest(one[0], together[i]), 1e-7) << i;
  }
}

TEST(MuonTest, TheLayoutOfFiltersChangesNothing) {
  const at::NoGradGuard no_grad;
  const at::Tensor filters = made(3, {4, 5, 3, 3});
  const Tensors rows{filters.clone().set_requires_grad(true)};
  const Tensors channels{
      filters.contiguous(at::MemoryFormat::ChannelsLast).set_requires_grad(true)};
  for (const Tensors& of : {rows, channels}) {
    const auto muon = make_optimizer(kOptions, of, {0});
    for (std::int64_t step = 1; step <= 3; ++step) {
      set_grads(of, step);  // in rows for both: the second is laid out anew
      muon->update(nullptr);
    }
    EXPECT_EQ(muon->state().first[0].strides(), of[0].strides());
  }
  EXPECT_TRUE(channels[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_LT(furthest(rows[0], channels[0]), 1e-6);
}

TEST(MuonTest, ASkippedStepLeavesEveryBitAsItWas) {
  const at::NoGradGuard no_grad;
  const at::Tensor skip = at::ones({}, at::kFloat);
  const at::Tensor go = at::zeros({}, at::kFloat);
  for (const OptimizerKind rest : {OptimizerKind::Sgd, OptimizerKind::AdamW}) {
    OptimizerOptions options = kOptions;
    options.rest = rest;
    const Tensors parameters = make_parameters();
    const Tensors twins = make_parameters();
    const auto muon = make_optimizer(options, parameters, kMatrices);
    const auto twin = make_optimizer(options, twins, kMatrices);
    for (std::int64_t step = 1; step <= 4; ++step) {
      set_grads(parameters, step);
      set_grads(twins, step);
      if (step == 1 || step == 3) {
        // Only one of them sees it, full of what must not get through.
        const Tensors bad = parameters;
        for (const at::Tensor& parameter : bad)
          parameter.mutable_grad().fill_(std::numeric_limits<float>::quiet_NaN());
        muon->update(&skip);
        continue;
      }
      twin->update(&go);
      muon->update(&go);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(at::equal(parameters[i], twins[i])) << i;
      EXPECT_TRUE(at::equal(muon->state().first[i], twin->state().first[i])) << i;
    }
  }
}

TEST(MuonTest, ItsStateSaysWhatUpdatesWhat) {
  OptimizerOptions options = kOptions;
  options.rest = OptimizerKind::AdamW;
  const Tensors parameters = make_parameters();
  const auto muon = make_optimizer(options, parameters, kMatrices);
  const OptimizerState state = muon->state();
  ASSERT_EQ(state.groups.size(), 2);
  EXPECT_EQ(state.groups[0].kind, OptimizerKind::Muon);
  EXPECT_DOUBLE_EQ(state.groups[0].rate_factor * 0.4, 0.02);
  EXPECT_THAT(state.groups[0].parameters, ElementsAre(0, 2, 3, 4));
  EXPECT_EQ(state.groups[1].kind, OptimizerKind::AdamW);
  EXPECT_THAT(state.groups[1].parameters, ElementsAre(1, 5));
  EXPECT_EQ(state.first.size(), parameters.size());
  EXPECT_FALSE(state.second[0].defined());
  EXPECT_EQ(state.second[5].sizes(), parameters[5].sizes());
}

TEST(MuonTest, Bf16WeightsAreUpdatedToo) {
  const at::NoGradGuard no_grad;
  const Tensors full{made(1, {4, 6}).set_requires_grad(true)};
  const Tensors half{made(1, {4, 6}).to(at::kBFloat16).set_requires_grad(true)};
  for (const Tensors& of : {full, half}) {
    const auto muon = make_optimizer(kOptions, of, {0});
    of[0].mutable_grad() = made(9, {4, 6}).to(of[0].scalar_type());
    muon->update(nullptr);
  }
  EXPECT_LT(furthest(full[0], half[0]), 0.01);
}

TEST(MuonTest, AModelWithoutMatricesIsRefused) {
  EXPECT_THAT(
      message_of(Fault::BadInput, [] { (void)make_optimizer(kOptions, make_parameters(), {}); }),
      HasSubstr("no hidden matrices"));
}

}  // namespace
}  // namespace ridgeline
