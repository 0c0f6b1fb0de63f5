#include "roofline/peak_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Does a FLOP in a nanosecond, times what the list says of the runs to come.
PeakProbe even_probe(const std::string& name, double seconds_each = 1e-9) {
  PeakProbe probe{.what = {.name = name, .path = ComputePath::Fp32}};
  probe.prepare = [=]() -> std::vector<PeakCandidate> {
    return {{.at = "even", .work = 1, .run = [=](std::uint64_t repetitions) {
               return Seconds{seconds_each * static_cast<double>(repetitions)};
             }}};
  };
  return probe;
}

const PeakRoundsPlan kPlan{.rounds = 7, .batches = 3, .batch = Seconds{0.01}};

TEST(PeakRoundsTest, ARateIsWorkOverTime) {
  const auto result = measure_in_rounds({even_probe("a")}, kPlan, {});
  ASSERT_EQ(result.peaks.size(), 1U);
  const MeasuredPeak& peak = result.peaks.front();
  EXPECT_EQ(peak.name, "a");
  EXPECT_EQ(peak.at, "even");
  EXPECT_EQ(peak.samples, 7U);
  EXPECT_NEAR(peak.per_second, 1e9, 1);
  EXPECT_NEAR(*peak.low, 1e9, 1);
  EXPECT_NEAR(*peak.high, 1e9, 1);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(PeakRoundsTest, TheFastestCandidateIsSampled) {
  PeakProbe probe{.what = {.name = "a"}};
  probe.prepare = []() -> std::vector<PeakCandidate> {
    const auto at = [](const char* name, double each) {
      return PeakCandidate{.at = name, .work = 1, .run = [each](std::uint64_t repetitions) {
                             return Seconds{each * static_cast<double>(repetitions)};
                           }};
    };
    return {at("slow", 3e-9), at("fast", 1e-9), at("middle", 2e-9)};
  };
  const auto result = measure_in_rounds({probe}, kPlan, {});
  ASSERT_EQ(result.peaks.size(), 1U);
  EXPECT_EQ(result.peaks.front().at, "fast");
}

TEST(PeakRoundsTest, ABatchIsAsLongAsThePlanSays) {
  std::vector<double> lengths;
  PeakProbe probe{.what = {.name = "a"}};
  probe.prepare = [&]() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [&](std::uint64_t repetitions) {
               lengths.push_back(1e-6 * static_cast<double>(repetitions));
               return Seconds{lengths.back()};
             }}};
  };
  static_cast<void>(measure_in_rounds({probe}, kPlan, {}));
  EXPECT_NEAR(lengths.back(), 0.01, 1e-5);
}

TEST(PeakRoundsTest, AMomentOfNoiseHitsSamplesAndNotTheMedian) {
  int runs = 0;
  PeakProbe probe{.what = {.name = "a"}};
  probe.prepare = [&]() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [&](std::uint64_t repetitions) {
               ++runs;
               const bool busy = runs > 16 && runs <= 24;
               return Seconds{(busy ? 5e-9 : 1e-9) * static_cast<double>(repetitions)};
             }}};
  };
  const auto result = measure_in_rounds({probe}, kPlan, {});
  EXPECT_NEAR(result.peaks.front().per_second, 1e9, 1e3);
  EXPECT_NEAR(*result.peaks.front().low, 2e8, 1e3);
  EXPECT_FALSE(is_steady(result.peaks.front()));
}

TEST(PeakRoundsTest, ABatchThatLookedLongInABusyMomentIsLengthenedLater) {
  int runs = 0;
  std::uint64_t last = 0;
  PeakProbe probe{.what = {.name = "a"}};
  probe.prepare = [&]() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [&](std::uint64_t repetitions) {
               last = repetitions;
               return Seconds{(++runs <= 7 ? 1.0 : 0.0) + 1e-6 * static_cast<double>(repetitions)};
             }}};
  };
  const auto result = measure_in_rounds({probe}, kPlan, {});
  EXPECT_NEAR(static_cast<double>(last), 10'000, 10);
  EXPECT_NEAR(result.peaks.front().per_second, 1e6, 1);
}

TEST(PeakRoundsTest, ProbesTakeTurns) {
  std::string order;
  const auto logged = [&](char name) {
    PeakProbe probe{.what = {.name = std::string(1, name)}};
    probe.prepare = [&order, name]() -> std::vector<PeakCandidate> {
      return {{.at = "x", .work = 1, .run = [&order, name](std::uint64_t) {
                 order += name;
                 return Seconds{1};
               }}};
    };
    return probe;
  };
  const auto result = measure_in_rounds({logged('a'), logged('b'), logged('c')},
                                        {.rounds = 3, .batches = 1, .batch = Seconds{0.5}}, {});
  EXPECT_EQ(order, "aaaabbbbccccaabbccccbbaaaabbcc");  // to choose, then rounds there and back
  ASSERT_EQ(result.peaks.size(), 3U);
  EXPECT_EQ(result.peaks[0].name, "a");
  EXPECT_EQ(result.peaks[2].name, "c");
}

TEST(PeakRoundsTest, EverySampleFollowsItsWarmUp) {
  int runs = 0;
  PeakProbe probe{.what = {.name = "a"}, .warm_up = Seconds{3}};
  probe.prepare = [&]() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [&](std::uint64_t) {
               ++runs;
               return Seconds{1};
             }}};
  };
  static_cast<void>(
      measure_in_rounds({probe}, {.rounds = 2, .batches = 1, .batch = Seconds{1}}, {}));
  EXPECT_EQ(runs, (3 + 3 + 1) + 2 * (1 + 3 + 1));  // its length, its warm-up, its batch
}

TEST(PeakRoundsTest, WhatFailsIsToldAndTheOthersAreMeasured) {
  PeakProbe none{.what = {.name = "none"}};
  none.prepare = [] { return std::vector<PeakCandidate>{}; };
  PeakProbe broken{.what = {.name = "broken"}};
  broken.prepare = []() -> std::vector<PeakCandidate> {
    throw Error(Fault::Device, "no such unit");
  };
  PeakProbe half{.what = {.name = "half"}};
  half.prepare = []() -> std::vector<PeakCandidate> {
    return {{.at = "bad",
             .work = 1,
             .run = [](std::uint64_t) -> Seconds { throw Error(Fault::Device, "refused"); }},
            {.at = "good", .work = 1, .run = [](std::uint64_t) { return Seconds{1}; }}};
  };
  PeakProbe odd{.what = {.name = "odd"}};
  odd.prepare = []() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [](std::uint64_t) { return Seconds{-1}; }}};
  };
  const auto result = measure_in_rounds({none, broken, half, odd, even_probe("a")}, kPlan, {});
  EXPECT_THAT(result.notes,
              ElementsAre("none was not measured: nothing to try",
                          "broken was not measured: no such unit", HasSubstr("odd was not")));
  ASSERT_EQ(result.peaks.size(), 2U);
  EXPECT_EQ(result.peaks[0].at, "good");
}

TEST(PeakRoundsTest, AnInterruptLeavesNoPeaks) {
  for (const int after : {0, 1, 3, 9}) {
    int asked = 0;
    const auto result = measure_in_rounds({even_probe("a"), even_probe("b")}, kPlan,
                                          {.interrupted = [&] { return asked++ >= after; }});
    EXPECT_TRUE(result.interrupted) << after;
    EXPECT_THAT(result.peaks, IsEmpty()) << after;
  }
}

// Two threads that compute for a part of the time that passes.
MeasuredPeak with_share(double share, int busy_threads = 0) {
  Seconds passed{};
  PeakProbe probe{.what = {.name = "a", .threads = 2}, .busy_threads = busy_threads};
  probe.prepare = [&]() -> std::vector<PeakCandidate> {
    return {{.at = "x", .work = 1, .run = [&](std::uint64_t repetitions) {
               const Seconds time{1e-9 * static_cast<double>(repetitions)};
               passed += time;
               return time;
             }}};
  };
  return measure_in_rounds({probe}, kPlan, {.cpu_time = [&] { return 2 * share * passed; }})
      .peaks.front();
}

TEST(PeakRoundsTest, SomebodyWhoAlwaysWorksShowsInTheTimeThatWasLost) {
  EXPECT_FALSE(with_share(1.0).shared);
  EXPECT_TRUE(is_steady(with_share(0.95)));
  EXPECT_TRUE(with_share(0.5).shared);
  EXPECT_FALSE(is_steady(with_share(0.5)));
}

TEST(PeakRoundsTest, ThreadsThatALibraryLeavesIdleAreNotLost) {
  EXPECT_FALSE(with_share(0.5, /*busy_threads=*/1).shared);
  EXPECT_TRUE(with_share(0.3, /*busy_threads=*/1).shared);
}

TEST(PeakRoundsTest, ProgressGrowsAndStaysBelowOne) {
  std::vector<double> parts;
  static_cast<void>(measure_in_rounds({even_probe("a"), even_probe("b")}, kPlan,
                                      {.progressed = [&](double part) { parts.push_back(part); }}));
  EXPECT_EQ(parts.size(), 16U);
  EXPECT_EQ(parts.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(parts));
  EXPECT_LT(parts.back(), 1);
}

}  // namespace
}  // namespace ridgeline
