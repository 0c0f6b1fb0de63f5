#include "cuda/kernels/batch_norm_reference.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline::kernels {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kTight = 1e-12;

// Columns {1, 3} and {-2, 6}: means 2 and 2, variances 1 and 16.
BatchNormProblem by_hand() {
  return {.rows = 2,
          .channels = 2,
          .x = {1, -2, 3, 6},
          .residual = {},
          .weight = {10, 0.5},
          .bias = {1, 2},
          .eps = 0.0,
          .relu = false};
}

std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

BatchNormProblem random_problem(bool relu, bool residual) {
  constexpr std::size_t kRows = 7;
  constexpr std::size_t kChannels = 3;
  return {.rows = kRows,
          .channels = kChannels,
          .x = random_values(kRows * kChannels, 1),
          .residual = residual ? random_values(kRows * kChannels, 2) : std::vector<double>{},
          .weight = random_values(kChannels, 3),
          .bias = random_values(kChannels, 4),
          .eps = 1e-3,
          .relu = relu};
}

double weighted_output(const BatchNormProblem& problem, const std::vector<double>& dy) {
  const BatchNormResult result = batch_norm_reference(problem);
  double sum = 0;
  for (std::size_t i = 0; i < dy.size(); ++i) sum += result.y[i] * dy[i];
  return sum;
}

// Central differences of weighted_output with respect to one vector of the problem.
std::vector<double> differences(BatchNormProblem problem, std::vector<double> BatchNormProblem::*of,
                                const std::vector<double>& dy) {
  constexpr double kStep = 1e-6;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < (problem.*of).size(); ++i) {
    const double at = (problem.*of)[i];
    (problem.*of)[i] = at + kStep;
    const double above = weighted_output(problem, dy);
    (problem.*of)[i] = at - kStep;
    const double below = weighted_output(problem, dy);
    (problem.*of)[i] = at;
    slopes.push_back((above - below) / (2 * kStep));
  }
  return slopes;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  EXPECT_THAT(actual, ::testing::Pointwise(::testing::DoubleNear(1e-6), expected));
}

TEST(BatchNormReferenceTest, NormalisesEachColumnByItsOwnMeanAndSpread) {
  const BatchNormResult result = batch_norm_reference(by_hand());
  EXPECT_THAT(result.mean, ElementsAre(2, 2));
  EXPECT_THAT(result.invstd, ElementsAre(1, 0.25));
  EXPECT_THAT(result.unbiased_variance, ElementsAre(2, 32));
  EXPECT_THAT(result.y, ElementsAre(-9, 1.5, 11, 2.5));
}

TEST(BatchNormReferenceTest, AddsTheResidualBeforeTheRelu) {
  BatchNormProblem problem = by_hand();
  problem.residual = {9.5, -2, 0, 0};
  problem.relu = true;
  EXPECT_THAT(batch_norm_reference(problem).y, ElementsAre(0.5, 0, 11, 2.5));
}

TEST(BatchNormReferenceTest, InferenceUsesTheGivenStatistics) {
  const BatchNormResult result = batch_norm_inference_reference(by_hand(), {0, 1}, {4, 1});
  EXPECT_THAT(result.y, ElementsAre(DoubleNear(6, kTight), DoubleNear(0.5, kTight),
                                    DoubleNear(16, kTight), DoubleNear(4.5, kTight)));
}

TEST(BatchNormReferenceTest, ASingleRowHasNoUnbiasedVariance) {
  BatchNormProblem problem = by_hand();
  problem.rows = 1;
  problem.x = {5, 6};
  problem.eps = 1e-5;
  const BatchNormResult result = batch_norm_reference(problem);
  EXPECT_THAT(result.unbiased_variance, ElementsAre(0, 0));
  EXPECT_THAT(result.y, ElementsAre(1, 2));
}

class BatchNormGradientTest : public ::testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(BatchNormGradientTest, MatchesFiniteDifferences) {
  const auto [relu, residual] = GetParam();
  const BatchNormProblem problem = random_problem(relu, residual);
  const std::vector<double> dy = random_values(problem.x.size(), 5);
  const BatchNormGradients gradients = batch_norm_backward_reference(problem, dy);
  expect_near(gradients.dx, differences(problem, &BatchNormProblem::x, dy));
  expect_near(gradients.d_weight, differences(problem, &BatchNormProblem::weight, dy));
  expect_near(gradients.d_bias, differences(problem, &BatchNormProblem::bias, dy));
  if (residual) {
    expect_near(gradients.d_residual, differences(problem, &BatchNormProblem::residual, dy));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, BatchNormGradientTest,
                         ::testing::Values(std::pair{false, false}, std::pair{false, true},
                                           std::pair{true, false}, std::pair{true, true}));

}  // namespace
}  // namespace ridgeline::kernels
