#include "stats/steady_state.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using Kind = SteadyState::Kind;
using testing::append_level;

TEST(SteadyStateTest, OneLevelIsFlatFromTheFirstIteration) {
  Random random(1);
  std::vector<Seconds> times;
  append_level(times, 300, 0.02, 0.03, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Flat);
  EXPECT_TRUE(found.is_steady());
  EXPECT_EQ(found.from, 0U);
  ASSERT_EQ(found.segments.size(), 1U);
  EXPECT_EQ(found.segments[0].end, 300U);
  EXPECT_NEAR(found.level.count(), 0.02, 2e-4);
  EXPECT_NEAR(found.segments[0].deviation.count(), 6e-4, 1e-4);
}

TEST(SteadyStateTest, ASlowStartIsWarmUpUntilItEnds) {
  Random random(2);
  std::vector<Seconds> times;
  append_level(times, 40, 0.05, 0.02, random);
  append_level(times, 200, 0.02, 0.02, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Warmup);
  EXPECT_EQ(found.from, 40U);
  EXPECT_NEAR(found.level.count(), 0.02, 2e-4);
}

TEST(SteadyStateTest, AFewVerySlowFirstIterationsAreWarmUpNotOutliers) {
  Random random(3);
  std::vector<Seconds> times = testing::seconds({2.0, 0.3, 0.1});
  append_level(times, 97, 0.02, 0.02, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Warmup);
  EXPECT_GE(found.from, 3U);
  EXPECT_LE(found.from, 5U);
}

TEST(SteadyStateTest, ASingleSlowFirstIterationIsWarmUp) {
  Random random(4);
  std::vector<Seconds> times = testing::seconds({1.0});
  append_level(times, 60, 0.02, 0.02, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Warmup);
  EXPECT_GE(found.from, 1U);
  EXPECT_LE(found.from, 3U);
}

TEST(SteadyStateTest, SettlingAboveAnEarlierLevelIsASlowdown) {
  Random random(5);
  std::vector<Seconds> times;
  append_level(times, 30, 0.04, 0.02, random);
  append_level(times, 100, 0.02, 0.02, random);
  append_level(times, 100, 0.025, 0.02, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Slowdown);
  EXPECT_NEAR(static_cast<double>(found.from), 130, 2);
  EXPECT_NEAR(found.level.count(), 0.025, 3e-4);
}

TEST(SteadyStateTest, ALastLevelOfTwentyNineIterationsIsNotSteadyButOneOfThirtyIs) {
  std::vector<Seconds> times(100, Seconds{0.02});
  times.resize(129, Seconds{0.01});
  const SteadyState short_of_it = find_steady_state(times);
  EXPECT_EQ(short_of_it.kind, Kind::NoSteadyState);
  EXPECT_FALSE(short_of_it.is_steady());
  EXPECT_EQ(short_of_it.from, 129U);
  EXPECT_EQ(short_of_it.segments.size(), 2U);
  times.resize(130, Seconds{0.01});
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Warmup);
  EXPECT_EQ(found.from, 100U);
}

TEST(SteadyStateTest, LevelsWithinOnePercentAreOneLevel) {
  std::vector<Seconds> times(100, Seconds{0.02});
  times.resize(200, Seconds{0.0201});
  EXPECT_EQ(find_steady_state(times).kind, Kind::Flat);
  times.assign(100, Seconds{0.02});
  times.resize(200, Seconds{0.0204});
  EXPECT_EQ(find_steady_state(times).kind, Kind::Slowdown);
}

TEST(SteadyStateTest, LevelsWithinOneTickOfTheTimerAreOneLevel) {
  std::vector<Seconds> times(100, Seconds{3e-6});
  times.resize(200, Seconds{2e-6});
  EXPECT_EQ(find_steady_state(times).kind, Kind::Warmup);
  EXPECT_EQ(find_steady_state(times, {.timer_resolution = Seconds{1.001e-6}}).kind, Kind::Flat);
}

TEST(SteadyStateTest, ALoneInterruptionDoesNotBreakASteadyState) {
  Random random(6);
  std::vector<Seconds> times;
  append_level(times, 200, 0.02, 0.02, random);
  times[100] = Seconds{0.5};
  times[199] = Seconds{0.5};
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Flat);
  EXPECT_NEAR(found.level.count(), 0.02, 2e-4);
  EXPECT_EQ(found.segments.back().end, 200U);
}

TEST(SteadyStateTest, SegmentsTileTheIterations) {
  Random random(7);
  std::vector<Seconds> times;
  for (const double level : {0.05, 0.03, 0.04, 0.02}) append_level(times, 80, level, 0.02, random);
  times[120] = Seconds{1};
  const auto segments = find_steady_state(times).segments;
  ASSERT_EQ(segments.size(), 4U);
  EXPECT_EQ(segments.front().begin, 0U);
  EXPECT_EQ(segments.back().end, times.size());
  for (std::size_t i = 1; i < segments.size(); ++i) {
    EXPECT_EQ(segments[i].begin, segments[i - 1].end);
  }
}

TEST(SteadyStateTest, EqualTimesAreFlat) {
  EXPECT_EQ(find_steady_state(std::vector(50, Seconds{0.001})).kind, Kind::Flat);
  EXPECT_EQ(find_steady_state(std::vector(50, Seconds{0})).kind, Kind::Flat);
}

TEST(SteadyStateTest, FewerThanThirtyIterationsAreTooFew) {
  const SteadyState found = find_steady_state(std::vector(29, Seconds{0.001}));
  EXPECT_EQ(found.kind, Kind::TooFew);
  EXPECT_EQ(found.from, 29U);
  EXPECT_EQ(found.level, Seconds{0.001});
  EXPECT_EQ(find_steady_state({}).kind, Kind::TooFew);
}

TEST(SteadyStateTest, ScaleOfTheTimesDoesNotMatter) {
  Random random(8);
  std::vector<Seconds> times;
  append_level(times, 50, 2.0, 0.03, random);
  append_level(times, 150, 1.0, 0.03, random);
  const std::size_t from = find_steady_state(times).from;
  for (Seconds& time : times) time *= 1e-7;
  EXPECT_EQ(find_steady_state(times).from, from);
}

TEST(SteadyStateTest, AHundredThousandIterationsAreSearched) {
  Random random(9);
  std::vector<Seconds> times;
  append_level(times, 1'234, 0.003, 0.05, random);
  append_level(times, 98'766, 0.001, 0.05, random);
  const SteadyState found = find_steady_state(times);
  EXPECT_EQ(found.kind, Kind::Warmup);
  EXPECT_NEAR(static_cast<double>(found.from), 1'234, 2);
}

TEST(SteadyStateTest, SamplesThatAreNotFiniteAreRefused) {
  std::vector<Seconds> times(50, Seconds{1});
  times[3] = Seconds{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW((void)find_steady_state(times), Error);
}

}  // namespace
}  // namespace ridgeline
