#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include <memory>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/plugin.h"

namespace ridgeline {
namespace {

at::Tensor plain_batch_norm(const at::Tensor& x, const BatchNormArgs& args,
                            const at::Tensor* residual) {
  at::Tensor y = at::batch_norm(x, args.weight, args.bias, args.running_mean, args.running_var,
                                args.training, args.momentum, args.eps, /*cudnn_enabled=*/false);
  return residual != nullptr ? y + *residual : y;
}

at::Tensor plain_batch_norm_relu(const at::Tensor& x, const BatchNormArgs& args,
                                 const at::Tensor* residual) {
  return at::relu(plain_batch_norm(x, args, residual));
}

Ops plain() {
  Ops ops{};
  ops.batch_norm = plain_batch_norm;
  ops.batch_norm_relu = plain_batch_norm_relu;
  return ops;
}

struct Variant {
  at::ScalarType type = at::kBFloat16;
  bool relu = false;
  bool residual = false;
  std::vector<std::int64_t> shape = {8, 64, 9, 9};
};

std::ostream& operator<<(std::ostream& out, const Variant& v) {
  return out << at::toString(v.type) << (v.relu ? " relu" : "") << (v.residual ? " residual" : "")
             << " [" << at::IntArrayRef(v.shape) << "]";
}

// Leaves of one evaluation: the fused op sees them rounded to its type, the expected one in fp32.
struct Layer {
  at::Tensor x, residual, weight, bias, running_mean, running_var;

  static Layer random(const Variant& v) {
    const auto options = at::TensorOptions(at::kCUDA).dtype(at::kFloat);
    const auto image = [&] {
      return at::randn(v.shape, options).to(v.type).contiguous(at::MemoryFormat::ChannelsLast);
    };
    return {.x = image(),
            .residual = image(),
            .weight = at::randn({v.shape[1]}, options),
            .bias = at::randn({v.shape[1]}, options),
            .running_mean = at::randn({v.shape[1]}, options),
            .running_var = at::rand({v.shape[1]}, options) + 0.5};
  }
  [[nodiscard]] Layer copy(at::ScalarType type) const {
    const auto leaf = [](const at::Tensor& t) { return t.detach().clone().requires_grad_(true); };
    return {.x = leaf(x.to(type)),
            .residual = leaf(residual.to(type)),
            .weight = leaf(weight),
            .bias = leaf(bias),
            .running_mean = running_mean.clone(),
            .running_var = running_var.clone()};
  }
  at::Tensor run(const Ops& ops, const Variant& v, bool training, bool update_running = true) {
    const BatchNormArgs args{.weight = weight,
                             .bias = bias,
                             .running_mean = running_mean,
                             .running_var = running_var,
                             .momentum = 0.2,
                             .eps = 1e-5,
                             .training = training,
                             .update_running = update_running};
    const at::Tensor* added = v.residual ? &residual : nullptr;
    return v.relu ? ops.batch_norm_relu(x, args, added) : ops.batch_norm(x, args, added);
  }
};

double tolerance(at::ScalarType type) {
  return type == at::kBFloat16 ? 0.01 : type == at::kHalf ? 2e-3 : 1e-4;
}

// Of the largest value, so that one figure serves sums and elements.
void expect_close(const char* what, const at::Tensor& actual, const at::Tensor& expected,
                  double relative) {
  ASSERT_TRUE(actual.defined()) << what;
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  const double scale = expected.abs().max().item<double>() + 1e-6;
  const double error = (actual.to(at::kFloat) - expected.to(at::kFloat)).abs().max().item<double>();
  EXPECT_LE(error, relative * scale) << what << " differs by " << error << " of " << scale;
}

class FusedBatchNormTest : public PluginTest, public ::testing::WithParamInterface<Variant> {};

TEST_P(FusedBatchNormTest, TrainsLikeThePlainOps) {
  const Variant v = GetParam();
  const Layer data = Layer::random(v);
  // Where the plain op steps in, its own rounding is what is expected.
  const bool falls_back = v.shape[1] % 8 != 0;
  Layer expected = data.copy(falls_back ? v.type : at::kFloat);
  Layer actual = data.copy(v.type);
  const at::Tensor wanted = expected.run(plain(), v, /*training=*/true);
  const at::Tensor got = actual.run(backend().fused(plain()), v, /*training=*/true);
  EXPECT_EQ(got.scalar_type(), v.type);
  EXPECT_TRUE(got.is_contiguous(at::MemoryFormat::ChannelsLast));
  const double fine = tolerance(v.type);
  expect_close("y", got, wanted, fine);
  expect_close("running mean", actual.running_mean, expected.running_mean, 1e-5);
  expect_close("running var", actual.running_var, expected.running_var, 1e-5);

  // The gradient passes only where both agree that the ReLU was open.
  at::Tensor dy = at::randn(v.shape, got.options().dtype(at::kFloat)).to(v.type);
  if (v.relu) dy = dy * (wanted.detach() > 0.05).to(v.type);
  wanted.backward(dy.to(wanted.scalar_type()));
  got.backward(dy);
  expect_close("dx", actual.x.grad(), expected.x.grad(), fine);
  expect_close("d_weight", actual.weight.grad(), expected.weight.grad(), 1e-3);
  expect_close("d_bias", actual.bias.grad(), expected.bias.grad(), 1e-3);
  if (v.residual)
    expect_close("d_residual", actual.residual.grad(), expected.residual.grad(), fine);
}

TEST_P(FusedBatchNormTest, InfersLikeThePlainOps) {
  const Variant v = GetParam();
  const at::NoGradGuard no_gradients;
  const Layer data = Layer::random(v);
  Layer expected = data.copy(at::kFloat);
  Layer actual = data.copy(v.type);
  expect_close("y", actual.run(backend().fused(plain()), v, /*training=*/false),
               expected.run(plain(), v, /*training=*/false), tolerance(v.type));
  EXPECT_TRUE(actual.running_mean.equal(data.running_mean));
  EXPECT_TRUE(actual.running_var.equal(data.running_var));
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const bool relu : {false, true}) {
    for (const bool residual : {false, true}) {
      for (const at::ScalarType type : {at::kBFloat16, at::kHalf, at::kFloat}) {
        all.push_back({.type = type, .relu = relu, .residual = residual});
      }
      all.push_back({.relu = relu, .residual = residual, .shape = {32, 512, 1, 1}});
      all.push_back({.relu = relu, .residual = residual, .shape = {16, 256, 56, 56}});
      // Not a multiple of 8 channels: the plain op's.
      all.push_back({.relu = relu, .residual = residual, .shape = {4, 12, 5, 5}});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variants, FusedBatchNormTest, ::testing::ValuesIn(variants()));

using FusedBatchNormContractTest = PluginTest;

TEST_F(FusedBatchNormContractTest, LeavesRunningStatisticsAloneWhenAskedTo) {
  const Variant v{.relu = true};
  const Layer data = Layer::random(v);
  Layer layer = data.copy(v.type);
  static_cast<void>(layer.run(backend().fused(plain()), v, /*training=*/true, /*update=*/false));
  EXPECT_TRUE(layer.running_mean.equal(data.running_mean));
  EXPECT_TRUE(layer.running_var.equal(data.running_var));
}

TEST_F(FusedBatchNormContractTest, AcceptsAGradientOfAnotherLayout) {
  const Variant v{.relu = true, .residual = true};
  const Layer data = Layer::random(v);
  Layer expected = data.copy(at::kFloat);
  Layer actual = data.copy(v.type);
  // The mean's gradient is one number expanded over the image.
  expected.run(plain(), v, true).mean({2, 3}).sum().backward();
  actual.run(backend().fused(plain()), v, true).mean({2, 3}).sum().backward();
  expect_close("d_bias", actual.bias.grad(), expected.bias.grad(), 0.02);
}

TEST_F(FusedBatchNormContractTest, FollowsAConvolutionUnderAutocast) {
  const auto options = at::TensorOptions(at::kCUDA).dtype(at::kFloat);
  const Variant v{.relu = true, .shape = {8, 64, 14, 14}};
  const at::Tensor image =
      at::randn({8, 16, 14, 14}, options).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor kernel = (at::randn({64, 16, 3, 3}, options) * 0.1)
                                .contiguous(at::MemoryFormat::ChannelsLast)
                                .requires_grad_(true);
  Layer layer = Layer::random(v).copy(at::kFloat);
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  layer.x = at::conv2d(image, kernel, {}, 1, 1);
  const at::Tensor y = layer.run(backend().fused(plain()), v, true);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  y.sum().backward();
  EXPECT_EQ(layer.weight.grad().scalar_type(), at::kFloat);
  ASSERT_TRUE(kernel.grad().defined());
  EXPECT_TRUE(kernel.grad().isfinite().all().item<bool>());
}

TEST_F(FusedBatchNormContractTest, CapturedTrainingEqualsEager) {
  const Variant v{.relu = true, .residual = true, .shape = {16, 64, 28, 28}};
  const Ops ops = backend().fused(plain());
  const Layer data = Layer::random(v);
  Layer eager = data.copy(v.type);
  Layer graphed = data.copy(v.type);
  const auto step = [&](Layer& layer) {
    layer.x.mutable_grad().reset();
    layer.weight.mutable_grad().reset();
    layer.run(ops, v, true).sum().backward();
  };
  step(eager);
  step(graphed);
  const auto graph = backend().capture([&] { step(graphed); });
  for (int i = 0; i < 3; ++i) {
    step(eager);
    graph->replay();
  }
  backend().synchronize();
  EXPECT_TRUE(eager.x.grad().equal(graphed.x.grad()));
  EXPECT_TRUE(eager.weight.grad().equal(graphed.weight.grad()));
  EXPECT_TRUE(eager.running_var.equal(graphed.running_var));
}

}  // namespace
}  // namespace ridgeline
