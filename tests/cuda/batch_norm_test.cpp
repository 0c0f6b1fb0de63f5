#include "cuda/kernels/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/batch_norm_run.h"
#include "cuda/device_buffer.h"
#include "cuda/element_codec.h"
#include "cuda/kernels/batch_norm_reference.h"

namespace ridgeline::kernels {
namespace {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// Reports the worst element only; `judge` says which elements count.
template <class Judge>
void expect_close(const char* what, const std::vector<double>& actual,
                  const std::vector<double>& expected, Tolerance tolerance, Judge&& judge) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!judge(i)) continue;
    const double allowed = tolerance.relative * std::abs(expected[i]) + tolerance.absolute;
    double excess = std::abs(actual[i] - expected[i]) / allowed;
    if (std::isnan(excess)) excess = HUGE_VAL;
    if (excess > worst) {
      worst = excess;
      where = i;
    }
  }
  EXPECT_LE(worst, 1.0) << what << "[" << where << "] is " << actual[where] << ", expected "
                        << expected[where];
}

void expect_close(const char* what, const std::vector<double>& actual,
                  const std::vector<double>& expected, Tolerance tolerance) {
  expect_close(what, actual, expected, tolerance, [](std::size_t) { return true; });
}

class BatchNormKernelTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!has_cuda_device()) GTEST_SKIP() << "no CUDA device";
  }
};

void expect_forward(const Outcome& got, const BatchNormResult& want, const Case& c) {
  // Single precision sees the mean's own rounding: the spread is one.
  const double fuzz = 2e-5 + 4e-7 * std::abs(c.mean);
  expect_close("mean", got.mean, want.mean, {.relative = 1e-6, .absolute = fuzz});
  expect_close("invstd", got.invstd, want.invstd, {.relative = 1e-4 + fuzz, .absolute = 0});
  std::vector<double> running_mean(c.channels);
  std::vector<double> running_var(c.channels);
  for (std::size_t i = 0; i < c.channels; ++i) {
    running_mean[i] = (1 - kMomentum) * kOldMean + kMomentum * want.mean[i];
    running_var[i] = (1 - kMomentum) * kOldVar + kMomentum * want.unbiased_variance[i];
  }
  expect_close("running mean", got.running_mean, running_mean,
               {.relative = 1e-5, .absolute = fuzz});
  expect_close("running var", got.running_var, running_var, {.relative = 2e-4, .absolute = fuzz});
  expect_close("y", got.y, want.y, {.relative = rounding(c.element) + 1e-4, .absolute = 4 * fuzz});
}

TEST_P(BatchNormKernelTest, MatchesTheReference) {
  const Case c = GetParam();
  const BatchNormRun run(c);
  const Outcome got = run.run();
  const BatchNormResult forward = batch_norm_reference(run.problem());
  const BatchNormGradients want = batch_norm_backward_reference(run.problem(), run.dy());
  EXPECT_TRUE(got.within_bounds);
  expect_forward(got, forward, c);

  // Where the ReLU's input is all but zero either side of it is right, and the element may join a
  // sum or not.
  const double edge = 1e-5 + 1e-6 * std::abs(c.mean);
  const auto clear = [&](std::size_t i) {
    return !c.relu || std::abs(forward.before_relu[i]) > edge;
  };
  std::vector<double> strays(c.channels, 0.0);
  for (std::size_t i = 0; i < forward.before_relu.size(); ++i) {
    if (!clear(i)) strays[i % c.channels] += 1;
  }
  const double most_strays = *std::max_element(strays.begin(), strays.end());
  const double steepest = *std::max_element(forward.invstd.begin(), forward.invstd.end());
  const auto rows = static_cast<double>(c.rows);
  const double blur = 1 + 1e-2 * std::abs(c.mean);
  const double sum_fuzz = 4 * most_strays + (2e-6 * rows + 1e-4) * blur;
  expect_close("d_bias", got.d_bias, want.d_bias, {.relative = 1e-5, .absolute = sum_fuzz});
  expect_close("d_weight", got.d_weight, want.d_weight, {.relative = 1e-4, .absolute = sum_fuzz});
  expect_close("dx", got.dx, want.dx,
               {.relative = rounding(c.element) + 1e-4,
                .absolute = 4 * steepest * (2e-5 * blur + 16 * most_strays / rows)},
               clear);
  if (c.relu && c.residual) {
    const std::size_t vector = c.element == Element::Fp32 ? 4 : 8;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.dx.size(); ++i) {
      const bool open = (got.mask[i / vector] >> (i % vector) & 1) != 0;
      if (clear(i) && open != (forward.before_relu[i] > 0)) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << "bits of the mask";
    expect_close("d_residual", got.d_residual, want.d_residual, {.relative = 0, .absolute = 1e-9},
                 clear);
  }
}

TEST_P(BatchNormKernelTest, GivesTheSameBitsEveryTime) {
  const BatchNormRun run(GetParam());
  const Outcome first = run.run();
  const Outcome second = run.run();
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.mean, second.mean);
  EXPECT_EQ(first.invstd, second.invstd);
  EXPECT_EQ(first.dx, second.dx);
  EXPECT_EQ(first.d_weight, second.d_weight);
  EXPECT_EQ(first.d_bias, second.d_bias);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Schedule schedule : {Schedule::Streaming, Schedule::Cluster}) {
    for (const bool relu : {false, true}) {
      for (const bool residual : {false, true}) {
        for (const std::size_t rows : {1, 7, 129, 2048, 5003}) {
          for (const std::size_t channels : {8, 24, 64, 520}) {
            all.push_back({rows, channels, Element::Bf16, schedule, relu, residual, 0.0});
          }
        }
        for (const Element element : {Element::Fp16, Element::Fp32}) {
          all.push_back({1025, 72, element, schedule, relu, residual, 0.0});
          all.push_back({128, 512, element, schedule, relu, residual, 0.0});
        }
      }
    }
    all.push_back({4099, 64, Element::Bf16, schedule, true, false, 30.0});
    all.push_back({4099, 64, Element::Fp32, schedule, true, true, 1000.0});
    all.push_back({16, 2048, Element::Bf16, schedule, true, true, 0.0});
  }
  all.push_back({100352, 64, Element::Bf16, Schedule::Auto, true, false, 0.0});
  all.push_back({25088, 256, Element::Bf16, Schedule::Auto, true, true, 0.0});
  all.push_back({3136, 2048, Element::Bf16, Schedule::Auto, true, true, 0.0});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, BatchNormKernelTest, ::testing::ValuesIn(cases()));

class BatchNormInferenceTest : public BatchNormKernelTest {};

TEST_P(BatchNormInferenceTest, MatchesTheReference) {
  const Case c = GetParam();
  const BatchNormRun run(c);
  const BatchNormProblem& problem = run.problem();
  const std::vector<double> mean = random_values(c.channels, 0, Element::Fp32, 6);
  std::vector<double> variance = random_values(c.channels, 3, Element::Fp32, 7);
  for (double& v : variance) v = static_cast<double>(static_cast<float>(v * v));
  const DeviceBuffer x(encode(problem.x, c.element));
  const DeviceBuffer residual(encode(problem.residual, c.element));
  const DeviceBuffer weight(encode(problem.weight, Element::Fp32));
  const DeviceBuffer bias(encode(problem.bias, Element::Fp32));
  const DeviceBuffer device_mean(encode(mean, Element::Fp32));
  const DeviceBuffer device_variance(encode(variance, Element::Fp32));
  const DeviceBuffer y(problem.x.size() * size_of(c.element));
  check(batch_norm_inference({.shape = {.rows = static_cast<std::int64_t>(c.rows),
                                        .channels = static_cast<std::int64_t>(c.channels),
                                        .element = c.element},
                              .x = x.data(),
                              .residual = c.residual ? residual.data() : nullptr,
                              .weight = weight.as<float>(),
                              .bias = bias.as<float>(),
                              .mean = device_mean.as<float>(),
                              .variance = device_variance.as<float>(),
                              .y = y.data(),
                              .eps = static_cast<float>(problem.eps),
                              .relu = c.relu},
                             nullptr));
  check(cudaDeviceSynchronize());
  const BatchNormResult want = batch_norm_inference_reference(problem, mean, variance);
  const double largest = *std::max_element(want.invstd.begin(), want.invstd.end());
  expect_close("y", decode(y.read<unsigned char>(), c.element), want.y,
               {.relative = rounding(c.element) + 1e-5, .absolute = 1e-5 * (1 + largest)});
  EXPECT_TRUE(y.guards_intact());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BatchNormInferenceTest,
    ::testing::Values(Case{1, 64}, Case{7, 24, Element::Bf16, Schedule::Auto, true},
                      Case{5003, 512, Element::Bf16, Schedule::Auto, true, true},
                      Case{129, 64, Element::Fp32, Schedule::Auto, false, true},
                      Case{129, 520, Element::Fp16, Schedule::Auto, true, true}));

TEST(BatchNormShapeTest, SaysWhyAShapeIsRefused) {
  EXPECT_EQ(batch_norm_obstacle({.rows = 1, .channels = 8}), nullptr);
  EXPECT_EQ(batch_norm_obstacle({.rows = 256 * 112 * 112, .channels = 64}), nullptr);
  EXPECT_STREQ(batch_norm_obstacle({.rows = 4, .channels = 12}),
               "channels are not a multiple of 8");
  EXPECT_NE(batch_norm_obstacle({.rows = 0, .channels = 64}), nullptr);
  EXPECT_NE(batch_norm_obstacle({.rows = std::int64_t{1} << 31, .channels = 64}), nullptr);
}

TEST(BatchNormShapeTest, TheMaskHoldsABitAnElement) {
  EXPECT_EQ(batch_norm_mask_bytes({.rows = 10, .channels = 64}), 80U);
  EXPECT_EQ(batch_norm_mask_bytes({.rows = 10, .channels = 64, .element = Element::Fp32}), 160U);
}

}  // namespace
}  // namespace ridgeline::kernels
