#include "stats/stopping.h"

#include <gtest/gtest.h>

#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::one_to;

constexpr UntilPrecise kRule{.min_samples = 10, .target_fraction = 0.01, .budget = Seconds{20}};

std::vector<Seconds> steady(std::size_t count) { return std::vector(count, Seconds{0.1}); }

TEST(StoppingTest, ExactCountStopsAtThatCountWhateverTheTime) {
  const StoppingRule rule = ExactCount{.samples = 3};
  EXPECT_EQ(reason_to_stop(rule, one_to(2), Seconds{1e6}), std::nullopt);
  EXPECT_EQ(reason_to_stop(rule, one_to(3), Seconds{0}), StopReason::Count);
}

TEST(StoppingTest, ExactCountOfZeroStopsBeforeTheFirstSample) {
  EXPECT_EQ(reason_to_stop(ExactCount{.samples = 0}, {}, Seconds{0}), StopReason::Count);
}

TEST(StoppingTest, SteadyTimesStopAtTheMinimumForPrecision) {
  EXPECT_EQ(reason_to_stop(kRule, steady(9), Seconds{1}), std::nullopt);
  EXPECT_EQ(reason_to_stop(kRule, steady(10), Seconds{1}), StopReason::Precision);
}

TEST(StoppingTest, ScatteredTimesStopWhenTheBudgetIsSpent) {
  EXPECT_EQ(reason_to_stop(kRule, one_to(12), Seconds{19.9}), std::nullopt);
  EXPECT_EQ(reason_to_stop(kRule, one_to(12), Seconds{20}), StopReason::Budget);
}

TEST(StoppingTest, MinimumOutranksTheBudget) {
  EXPECT_EQ(reason_to_stop(kRule, one_to(9), Seconds{100}), std::nullopt);
}

TEST(StoppingTest, PrecisionIsClaimedWhenItIsThereAsTheBudgetEnds) {
  // 65 is no count at which the precision is looked at otherwise.
  EXPECT_EQ(reason_to_stop(kRule, steady(65), Seconds{1}), std::nullopt);
  EXPECT_EQ(reason_to_stop(kRule, steady(65), Seconds{20}), StopReason::Precision);
}

TEST(StoppingTest, NothingIsClaimedOfNoSamples) {
  EXPECT_EQ(reason_to_stop(UntilPrecise{.min_samples = 0}, {}, Seconds{100}), std::nullopt);
}

TEST(PreciseEnoughTest, TheFurtherEndOfTheIntervalDecides) {
  Summary summary{.median = Seconds{1}};
  summary.median_interval = {.low = Seconds{0.999}, .high = Seconds{1.02}, .confidence = 0.95};
  EXPECT_FALSE(precise_enough(summary, 0.01));
  EXPECT_TRUE(precise_enough(summary, 0.021));
  summary.median_interval = {.low = Seconds{0.98}, .high = Seconds{1.001}, .confidence = 0.95};
  EXPECT_FALSE(precise_enough(summary, 0.01));
}

TEST(PreciseEnoughTest, WithoutAnIntervalNothingIsPrecise) {
  EXPECT_FALSE(precise_enough(Summary{.median = Seconds{1}}, 1));
}

}  // namespace
}  // namespace ridgeline
