#include "profile/record_clock.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "profile/observer.h"

namespace ridgeline {
namespace {

TEST(RecordClockTest, TicksBecomeTimesAtTheRateOfTwoMoments) {
  // 2.5 ticks a nanosecond.
  const TickScale scale({.ticks = 1'000, .time = 7'000}, {.ticks = 251'000, .time = 107'000});
  ASSERT_TRUE(scale.usable());
  EXPECT_EQ(scale.time_of(251'000), 107'000);
  EXPECT_NEAR(static_cast<double>(scale.time_of(253'500)), 108'000, 1);
  EXPECT_NEAR(static_cast<double>(scale.time_of(1'000)), 7'000, 1);
}

TEST(RecordClockTest, ADayLaterIsStillInRange) {
  const TickScale scale({.ticks = 0, .time = 0}, {.ticks = 60'000'000, .time = 20'000'000});
  const std::uint64_t day = 86'400ULL * 3'000'000'000ULL;
  EXPECT_NEAR(static_cast<double>(scale.time_of(day)), 86'400e9, 1e6);
}

TEST(RecordClockTest, MomentsThatMakeNoRateAreNoScale) {
  EXPECT_FALSE(TickScale({.ticks = 5, .time = 5}, {.ticks = 5, .time = 9}).usable());
  EXPECT_FALSE(TickScale({.ticks = 5, .time = 9}, {.ticks = 50, .time = 9}).usable());
  EXPECT_FALSE(TickScale({.ticks = 9, .time = 5}, {.ticks = 5, .time = 9}).usable());
  EXPECT_FALSE(TickScale({.ticks = 0, .time = 0}, {.ticks = 10, .time = 1'000'000}).usable());
}

TEST(RecordClockTest, ItNeverGoesBackAndStaysBesideSteadyClock) {
  calibrate_record_clock();
  Nanoseconds last = record_time();
  for (int i = 0; i < 100'000; ++i) {
    const Nanoseconds now = record_time();
    ASSERT_GE(now, last);
    last = now;
  }
  const Nanoseconds before = steady_nanoseconds();
  const Nanoseconds here = record_time();
  const Nanoseconds after = steady_nanoseconds();
  EXPECT_GE(here, before - 1'000'000);
  EXPECT_LE(here, after + 1'000'000);
}

}  // namespace
}  // namespace ridgeline
