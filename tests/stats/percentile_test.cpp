#include "stats/percentile.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::one_to;

TEST(PercentileTest, NinetyNinthOfAThousandHasItsValueAndInterval) {
  const auto p99 = percentile(one_to(1000), 99);
  ASSERT_TRUE(p99);
  EXPECT_EQ(p99->p, 99);
  EXPECT_DOUBLE_EQ(p99->value.count(), 990.01);
  EXPECT_EQ(p99->interval.low, Seconds{983});
  EXPECT_EQ(p99->interval.high, Seconds{997});
}

TEST(PercentileTest, NinetyNinthIsRefusedBelow368Samples) {
  EXPECT_FALSE(percentile(one_to(367), 99));
  EXPECT_TRUE(percentile(one_to(368), 99));
}

TEST(PercentileTest, NoSamplesHaveNoPercentile) { EXPECT_FALSE(percentile({}, 50)); }

TEST(PercentileTest, SamplesNeededMatchTheRefusal) {
  EXPECT_EQ(samples_for_percentile(50), 6U);
  EXPECT_EQ(samples_for_percentile(95), 72U);
  EXPECT_EQ(samples_for_percentile(99), 368U);
  EXPECT_EQ(samples_for_percentile(99.9), 3688U);
}

TEST(PercentileTest, PercentilesOutsideZeroToAHundredAreRefused) {
  EXPECT_THROW((void)percentile(one_to(10), 0), Error);
  EXPECT_THROW((void)percentile(one_to(10), 100), Error);
  EXPECT_THROW((void)samples_for_percentile(-1), Error);
}

}  // namespace
}  // namespace ridgeline
