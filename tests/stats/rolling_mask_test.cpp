#include "stats/rolling_mask.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "stats/samples.h"

namespace ridgeline {
namespace {

std::vector<Seconds> noisy(std::size_t count) {
  Random random(21);
  std::vector<Seconds> times;
  testing::append_level(times, count, 1.0, 0.01, random);
  return times;
}

TEST(RollingMaskTest, ALoneInterruptionIsMasked) {
  auto times = noisy(500);
  times[250] = Seconds{2};
  times[499] = Seconds{0.1};
  const auto masked = rolling_mask(times);
  EXPECT_TRUE(masked[250]);
  EXPECT_TRUE(masked[499]);
  EXPECT_EQ(std::ranges::count(masked, true), 2);
}

TEST(RollingMaskTest, AChangeOfLevelIsNotMasked) {
  auto times = noisy(500);
  for (std::size_t i = 200; i < times.size(); ++i) times[i] *= 2;
  EXPECT_EQ(std::ranges::count(rolling_mask(times), true), 0);
}

TEST(RollingMaskTest, ARunOfOddSamplesFromTheFirstIsWarmUpAndStays) {
  auto times = noisy(500);
  for (std::size_t i = 0; i < 5; ++i) times[i] = Seconds{10};
  times[7] = Seconds{10};
  const auto masked = rolling_mask(times);
  EXPECT_EQ(std::ranges::count(masked, true), 1);
  EXPECT_TRUE(masked[7]);
}

TEST(RollingMaskTest, OneTickOfTheTimerIsNoOutlier) {
  auto times = std::vector(100, Seconds{1e-6});
  times[50] = Seconds{2e-6};
  EXPECT_TRUE(rolling_mask(times)[50]);
  EXPECT_FALSE(rolling_mask(times, {.resolution = Seconds{1.1e-6}})[50]);
}

TEST(RollingMaskTest, NoSamplesHaveNoMask) { EXPECT_TRUE(rolling_mask({}).empty()); }

}  // namespace
}  // namespace ridgeline
