#include "stats/order.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::one_to;
using testing::seconds;

TEST(OrderTest, MedianOfAnOddCountIsTheMiddleSample) {
  EXPECT_EQ(median(seconds({3, 1, 2})), Seconds{2});
}

TEST(OrderTest, MedianOfAnEvenCountIsHalfwayBetweenTheMiddleTwo) {
  EXPECT_EQ(median(seconds({4, 1, 2, 3})), Seconds{2.5});
}

TEST(OrderTest, QuantilesInterpolateAsTypeSevenDoes) {
  const auto times = one_to(10);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(times, 0.25).count(), 3.25);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(times, 0.9).count(), 9.1);
  EXPECT_EQ(quantile_of_sorted(times, 0), Seconds{1});
  EXPECT_EQ(quantile_of_sorted(times, 1), Seconds{10});
}

TEST(OrderTest, SortingLeavesTheSamplesThemselvesAlone) {
  const auto times = seconds({2, 3, 1});
  EXPECT_EQ(sorted(times), seconds({1, 2, 3}));
  EXPECT_EQ(times, seconds({2, 3, 1}));
}

TEST(OrderTest, SamplesThatAreNotFiniteAreRefused) {
  EXPECT_THROW((void)sorted(seconds({1, std::numeric_limits<double>::quiet_NaN()})), Error);
  EXPECT_THROW((void)sorted(seconds({std::numeric_limits<double>::infinity()})), Error);
}

TEST(OrderTest, MedianOfNothingIsRefused) { EXPECT_THROW((void)median({}), Error); }

}  // namespace
}  // namespace ridgeline
