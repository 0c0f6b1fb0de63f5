#include "stats/summary.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::one_to;
using testing::seconds;

TEST(SummaryTest, KnownSamplesGiveKnownNumbers) {
  const Summary summary = summarise(seconds({2, 4, 4, 4, 5, 5, 7, 9}));
  EXPECT_EQ(summary.count, 8U);
  EXPECT_EQ(summary.mean, Seconds{5});
  EXPECT_EQ(summary.median, Seconds{4.5});
  EXPECT_EQ(summary.fastest, Seconds{2});
  EXPECT_EQ(summary.slowest, Seconds{9});
  EXPECT_DOUBLE_EQ(summary.deviation.value().count(), 2.1380899352993952);  // sqrt(32 / 7)
  EXPECT_DOUBLE_EQ(summary.cv_percent.value(), 42.761798705987904);
}

TEST(SummaryTest, OrderDoesNotMatter) {
  EXPECT_EQ(summarise(seconds({9, 1, 5})).median, Seconds{5});
  EXPECT_EQ(summarise(seconds({9, 1, 5})).fastest, Seconds{1});
}

TEST(SummaryTest, DeviationSurvivesASpreadSmallBesideTheMean) {
  const Summary summary = summarise(seconds({1e9, 1e9 + 1, 1e9 + 2}));
  EXPECT_DOUBLE_EQ(summary.deviation.value().count(), 1);
}

TEST(SummaryTest, OneSampleHasNoDeviationAndNoInterval) {
  const Summary summary = summarise(seconds({0.25}));
  EXPECT_EQ(summary.median, Seconds{0.25});
  EXPECT_FALSE(summary.deviation);
  EXPECT_FALSE(summary.cv_percent);
  EXPECT_FALSE(summary.median_interval);
}

TEST(SummaryTest, SamplesOfZeroHaveNoCoefficientOfVariation) {
  const Summary summary = summarise(seconds({0, 0}));
  EXPECT_EQ(summary.deviation, Seconds{0});
  EXPECT_FALSE(summary.cv_percent);
}

TEST(SummaryTest, IntervalOfTheMedianAppearsWithSixSamples) {
  EXPECT_FALSE(summarise(one_to(5)).median_interval);
  const auto interval = summarise(one_to(6)).median_interval;
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, Seconds{1});
  EXPECT_EQ(interval->high, Seconds{6});
  EXPECT_EQ(interval->confidence, 0.95);
}

TEST(SummaryTest, NoSamplesAreRefused) { EXPECT_THROW((void)summarise({}), Error); }

}  // namespace
}  // namespace ridgeline
