#include "report/units_text.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(UnitsTextTest, MillisecondsHaveTwoDecimalsAndMoreWhenSmall) {
  EXPECT_EQ(milliseconds_text(0.1523), "152.30");
  EXPECT_EQ(milliseconds_text(0.00845), "8.45");
  EXPECT_EQ(milliseconds_text(0.0000123), "0.0123");
  EXPECT_EQ(milliseconds_text(0.000999), "1.00");
  EXPECT_EQ(milliseconds_text(0), "0.00");
}

TEST(UnitsTextTest, ASpreadHasTheDecimalsOfItsMean) {
  EXPECT_EQ(milliseconds_spread(0.1523, 0.00845), "152.30 ± 8.45");
  EXPECT_EQ(milliseconds_spread(0.0385, 0.000626), "38.50 ± 0.63");
  EXPECT_EQ(milliseconds_spread(0.0000123, 0.0000002), "0.0123 ± 0.0002");
  EXPECT_EQ(milliseconds_spread(0.1523, std::nullopt), "152.30");
  EXPECT_EQ(milliseconds_interval(0.123, 0.1211, 0.1249), "123.00 (121.10–124.90)");
}

TEST(UnitsTextTest, RatesAreGroupedByThousands) {
  EXPECT_EQ(rate_text(1234567.8), "1,234,568");
  EXPECT_EQ(rate_text(100), "100");
  EXPECT_EQ(rate_text(12.34), "12.3");
  EXPECT_EQ(rate_text(-1234), "-1,234");
}

TEST(UnitsTextTest, TheLargestValueChoosesTheUnit) {
  EXPECT_EQ(time_scale(12).unit, "s");
  EXPECT_EQ(time_scale(0.5).unit, "ms");
  EXPECT_EQ(time_scale(5e-4).unit, "µs");
  EXPECT_DOUBLE_EQ(time_scale(5e-4).factor * 5e-4, 500);
  EXPECT_EQ(count_scale(900).unit, "");
  EXPECT_EQ(count_scale(45'000).unit, "thousand");
  EXPECT_DOUBLE_EQ(count_scale(45'000).factor * 45'000, 45);
}

TEST(UnitsTextTest, FlopsHaveThePrefixesOfTheirUnit) {
  EXPECT_EQ(flop_text(40), "40");
  EXPECT_EQ(flop_text(999.9), "1.00 k");
  EXPECT_EQ(flop_text(592.2e6), "592.2 M");
  EXPECT_EQ(flop_text(999.96e6), "1.00 G");
  EXPECT_EQ(flop_text(1.146e9), "1.15 G");
  EXPECT_EQ(flop_text(3.1e21), "3100.0 E");
}

}  // namespace
}  // namespace ridgeline
