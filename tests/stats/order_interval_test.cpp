#include "stats/order_interval.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/random.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::normal;
using testing::one_to;

struct KnownRanks {
  std::size_t count;
  double quantile;
  double confidence;
  std::size_t low, high;
};

class KnownRanksTest : public ::testing::TestWithParam<KnownRanks> {};

TEST_P(KnownRanksTest, RanksAreThoseOfTheExactBinomial) {
  const KnownRanks known = GetParam();
  const auto ranks =
      quantile_ranks(known.count, {.quantile = known.quantile, .confidence = known.confidence});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->low, known.low);
  EXPECT_EQ(ranks->high, known.high);
}

// Computed with exact fractions, the 100,000 with log-gamma.
INSTANTIATE_TEST_SUITE_P(
    OrderInterval, KnownRanksTest,
    ::testing::Values(KnownRanks{6, 0.5, 0.95, 1, 6}, KnownRanks{9, 0.5, 0.95, 2, 8},
                      KnownRanks{10, 0.5, 0.95, 2, 9}, KnownRanks{24, 0.5, 0.95, 7, 18},
                      KnownRanks{24, 0.5, 0.99, 6, 19}, KnownRanks{24, 0.5, 0.995, 5, 20},
                      KnownRanks{25, 0.5, 0.95, 8, 18}, KnownRanks{52, 0.5, 0.95, 19, 34},
                      KnownRanks{100, 0.5, 0.95, 40, 61}, KnownRanks{1000, 0.5, 0.95, 469, 532},
                      KnownRanks{100'000, 0.5, 0.95, 49'690, 50'311},
                      KnownRanks{36, 0.9, 0.95, 29, 36}, KnownRanks{100, 0.9, 0.95, 84, 96},
                      KnownRanks{368, 0.99, 0.95, 360, 368},
                      KnownRanks{1000, 0.99, 0.95, 983, 997}));

TEST(OrderIntervalTest, LowQuantilesMirrorHighOnes) {
  const auto ranks = quantile_ranks(100, {.quantile = 0.1});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->low, 101U - 96U);
  EXPECT_EQ(ranks->high, 101U - 84U);
}

TEST(OrderIntervalTest, TooFewSamplesHaveNoInterval) {
  EXPECT_FALSE(quantile_ranks(0, {}));
  EXPECT_FALSE(quantile_ranks(5, {}));
  EXPECT_FALSE(quantile_ranks(35, {.quantile = 0.9}));
  EXPECT_FALSE(quantile_ranks(367, {.quantile = 0.99}));
}

TEST(OrderIntervalTest, FewestSamplesAreTheFirstToGiveAnInterval) {
  EXPECT_EQ(samples_for_interval({}), 6U);
  EXPECT_EQ(samples_for_interval({.quantile = 0.9}), 36U);
  EXPECT_EQ(samples_for_interval({.quantile = 0.01}), 368U);
  EXPECT_EQ(samples_for_interval({.quantile = 0.999}), 3688U);
  EXPECT_EQ(samples_for_interval({.quantile = 0.5, .confidence = 0.995}), 9U);
}

TEST(OrderIntervalTest, EndsAreSamples) {
  const auto interval = median_interval(one_to(24));
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, Seconds{7});
  EXPECT_EQ(interval->high, Seconds{18});
  EXPECT_EQ(interval->confidence, 0.95);
}

TEST(OrderIntervalTest, QuantilesAndConfidencesOutsideTheirRangeAreRefused) {
  EXPECT_THROW((void)quantile_ranks(10, {.quantile = 0}), Error);
  EXPECT_THROW((void)quantile_ranks(10, {.quantile = 1}), Error);
  EXPECT_THROW((void)quantile_ranks(10, {.confidence = 1}), Error);
  EXPECT_THROW((void)median_interval(one_to(10), 0), Error);
}

TEST(OrderIntervalTest, TrueMedianIsCoveredAtLeastAsOftenAsPromised) {
  Random random(11);
  int covered = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<Seconds> times(24);
    // Skewed, as times are; the true median is exp(0) = 1.
    for (Seconds& time : times) time = Seconds{std::exp(normal(random))};
    const auto interval = median_interval(times);
    if (interval->low <= Seconds{1} && Seconds{1} <= interval->high) ++covered;
  }
  EXPECT_GE(covered, 3800);
  EXPECT_LT(covered, 3980);  // exactly 97.7 % are due: an interval that is never wrong is too wide
}

TEST(BootstrapTest, SameSeedGivesTheSameInterval) {
  const auto epochs = one_to(24);
  const auto first = bootstrap_median_interval(epochs, 5);
  const auto again = bootstrap_median_interval(epochs, 5);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->low, again->low);
  EXPECT_EQ(first->high, again->high);
}

TEST(BootstrapTest, IntervalIsNearTheExactOneAndHoldsTheMedian) {
  const auto interval = bootstrap_median_interval(one_to(101), 1, 10'000);
  ASSERT_TRUE(interval);
  // The exact ranks are 41 and 61.
  EXPECT_NEAR(interval->low.count(), 41, 1.01);
  EXPECT_NEAR(interval->high.count(), 61, 1.01);
}

TEST(BootstrapTest, EqualEpochsGiveAPoint) {
  const auto interval = bootstrap_median_interval(std::vector(10, Seconds{0.5}), 1);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, Seconds{0.5});
  EXPECT_EQ(interval->high, Seconds{0.5});
}

TEST(BootstrapTest, TooFewEpochsHaveNoInterval) {
  EXPECT_FALSE(bootstrap_median_interval(one_to(5), 1));
  EXPECT_FALSE(bootstrap_median_interval({}, 1));
}

TEST(BootstrapTest, NoResamplesAreRefused) {
  EXPECT_THROW((void)bootstrap_median_interval(one_to(10), 1, 0), Error);
}

}  // namespace
}  // namespace ridgeline
