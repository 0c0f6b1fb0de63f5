#include "engine/grad_scaler.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <limits>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

constexpr double kFirstScale = 65536;

at::Tensor parameter_with_grad(const std::vector<double>& grad, at::ScalarType dtype = at::kFloat) {
  at::Tensor parameter =
      at::zeros({static_cast<std::int64_t>(grad.size())}, at::TensorOptions().dtype(dtype));
  parameter.mutable_grad() = at::tensor(grad, at::kDouble).to(dtype);
  return parameter;
}

double current_scale(const GradScaler& scaler) {
  return scaler.scale(at::ones({}, at::kFloat)).item<double>();
}

TEST(GradScalerTest, TheLossIsScaledUp) {
  const GradScaler scaler(at::zeros({1}, at::kFloat));
  EXPECT_DOUBLE_EQ(scaler.scale(at::full({}, 0.5, at::kFloat)).item<double>(), 0.5 * kFirstScale);
}

TEST(GradScalerTest, GradientsOfEveryDtypeAreScaledDownAgain) {
  GradScaler scaler(at::zeros({1}, at::kFloat));
  const Tensors parameters{parameter_with_grad({kFirstScale, -2 * kFirstScale}),
                           parameter_with_grad({3 * kFirstScale}, at::kBFloat16)};
  scaler.unscale(parameters);
  EXPECT_EQ(scaler.found_inf().item<double>(), 0);
  EXPECT_DOUBLE_EQ(parameters[0].grad()[0].item<double>(), 1);
  EXPECT_DOUBLE_EQ(parameters[0].grad()[1].item<double>(), -2);
  EXPECT_DOUBLE_EQ(parameters[1].grad()[0].item<double>(), 3);
}

TEST(GradScalerTest, AFiniteStepKeepsTheScale) {
  GradScaler scaler(at::zeros({1}, at::kFloat));
  scaler.unscale({parameter_with_grad({1})});
  scaler.adapt();
  EXPECT_DOUBLE_EQ(current_scale(scaler), kFirstScale);
}

TEST(GradScalerTest, ANonFiniteGradientIsFoundAndHalvesTheScale) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    GradScaler scaler(at::zeros({1}, at::kFloat));
    scaler.unscale({parameter_with_grad({1, bad}), parameter_with_grad({2})});
    EXPECT_EQ(scaler.found_inf().item<double>(), 1);
    scaler.adapt();
    EXPECT_DOUBLE_EQ(current_scale(scaler), kFirstScale / 2);
    scaler.unscale({parameter_with_grad({1})});
    EXPECT_EQ(scaler.found_inf().item<double>(), 0) << "the finding must not outlive its step";
  }
}

TEST(GradScalerTest, TheScaleDoublesAfterTwoThousandFiniteSteps) {
  GradScaler scaler(at::zeros({1}, at::kFloat));
  const Tensors parameters{parameter_with_grad({0})};
  for (int i = 0; i < 1999; ++i) {
    scaler.unscale(parameters);
    scaler.adapt();
  }
  EXPECT_DOUBLE_EQ(current_scale(scaler), kFirstScale);
  scaler.unscale(parameters);
  scaler.adapt();
  EXPECT_DOUBLE_EQ(current_scale(scaler), 2 * kFirstScale);
}

}  // namespace
}  // namespace ridgeline
