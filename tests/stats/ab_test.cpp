#include "stats/ab.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "stats/samples.h"

namespace ridgeline {
namespace {

using Kind = Verdict::Kind;
using testing::seconds;

struct Pair {
  std::vector<Seconds> a, b;
};

// B takes 1 s; A takes middle - spread ... middle + spread in even steps.
Pair ramp(std::size_t rounds, double middle, double spread) {
  Pair pair{.a = {}, .b = std::vector(rounds, Seconds{1})};
  for (std::size_t i = 0; i < rounds; ++i) {
    const double place = 2 * static_cast<double>(i) / static_cast<double>(rounds - 1) - 1;
    pair.a.emplace_back(middle + spread * place);
  }
  return pair;
}

TEST(AbTest, AClearGainIsFasterWithTheSignTestInterval) {
  const auto [a, b] = ramp(24, 1.4, 0.0575);  // steps of 0.005
  const Verdict verdict = judge(a, b);
  EXPECT_EQ(verdict.kind, Kind::Faster);
  EXPECT_NEAR(verdict.speedup, 1.4, 1e-5);
  ASSERT_TRUE(verdict.interval);
  EXPECT_NEAR(verdict.interval->low, 1.3725, 1e-12);   // 7th of 24
  EXPECT_NEAR(verdict.interval->high, 1.4275, 1e-12);  // 18th of 24
  EXPECT_EQ(verdict.rounds, 24U);
  EXPECT_FALSE(verdict.detectable_effect);
  EXPECT_FALSE(verdict.rounds_still_needed);
  EXPECT_EQ(sentence(verdict, "A", "B"), "B ran 1.40 ± 0.03 times faster than A");
}

TEST(AbTest, SwappingTheArmsTurnsFasterIntoSlower) {
  const auto [a, b] = ramp(24, 1.4, 0.0575);
  const Verdict verdict = judge(b, a);
  EXPECT_EQ(verdict.kind, Kind::Slower);
  EXPECT_NEAR(verdict.speedup, 1 / 1.4, 1e-5);
  EXPECT_NEAR(verdict.interval->low, 1 / 1.4275, 1e-12);
  EXPECT_NEAR(verdict.interval->high, 1 / 1.3725, 1e-12);
  EXPECT_EQ(sentence(verdict, "A", "B"), "B ran 1.40 ± 0.03 times slower than A");
}

TEST(AbTest, RoundsArePairedSoThatSharedSlownessCancels) {
  std::vector<Seconds> a, b;
  for (int i = 0; i < 24; ++i) {
    const double mood = 1 + (i % 7);  // sevenfold swings that both arms share
    a.emplace_back(1.02 * mood);
    b.emplace_back(mood);
  }
  const Verdict verdict = judge(a, b);
  EXPECT_EQ(verdict.kind, Kind::Faster);
  EXPECT_NEAR(verdict.speedup, 1.02, 1e-12);
}

TEST(AbTest, AnIntervalWithinTheThresholdIsEquivalent) {
  const auto [a, b] = ramp(24, 1.0, 0.0115);  // steps of 0.001: 0.9945 ... 1.0055
  const Verdict verdict = judge(a, b);
  EXPECT_EQ(verdict.kind, Kind::Equivalent);
  EXPECT_EQ(sentence(verdict, "A", "B"),
            "B and A are equivalent: they differ by at most 0.55 % (threshold 1 %)");
}

TEST(AbTest, ARealEffectUnderTheThresholdIsEquivalentNotFaster) {
  const auto [a, b] = ramp(24, 1.005, 0.002);
  EXPECT_EQ(judge(a, b).kind, Kind::Equivalent);
  EXPECT_EQ(judge(a, b, {.threshold = 0.004}).kind, Kind::Faster);
}

TEST(AbTest, EqualTimesAreEquivalent) {
  const std::vector times(24, Seconds{0.1});
  const Verdict verdict = judge(times, times);
  EXPECT_EQ(verdict.kind, Kind::Equivalent);
  EXPECT_EQ(verdict.speedup, 1);
}

TEST(AbTest, AWideIntervalIsInconclusiveAndSaysWhatItWouldTake) {
  const auto [a, b] = ramp(24, 1.02, 0.115);  // steps of 0.01: 0.965 ... 1.075 about 1.02
  const Verdict verdict = judge(a, b);
  EXPECT_EQ(verdict.kind, Kind::Inconclusive);
  // Half width ln(1.075 / 0.965) / 2 = 0.05398; times (1.960 + 1.282) / 1.960, as a ratio 0.0934.
  EXPECT_NEAR(verdict.detectable_effect.value(), 0.0934, 1e-4);
  // 24 * (0.05398 / ln 1.02)^2 = 178.4 rounds in all, 155 more, made even.
  EXPECT_EQ(verdict.rounds_still_needed, 156U);
  EXPECT_EQ(sentence(verdict, "eager", "graph"),
            "graph against eager is inconclusive after 24 rounds: 1.020 times the speed, between "
            "0.965 and 1.075; effects from 9.3 % on would be found; about 156 more rounds are "
            "needed");
}

TEST(AbTest, AnEffectAtTheThresholdNamesNoNumberOfRounds) {
  const auto [a, b] = ramp(24, 1.00999, 0.02);
  const Verdict verdict = judge(a, b);
  EXPECT_EQ(verdict.kind, Kind::Inconclusive);
  EXPECT_FALSE(verdict.rounds_still_needed);
  EXPECT_NE(sentence(verdict, "A", "B").find("too near the threshold"), std::string::npos);
}

TEST(AbTest, TooFewRoundsAreInconclusiveWithoutAnInterval) {
  const Verdict verdict = judge(seconds({2, 2, 2, 2, 2}), seconds({1, 1, 1, 1, 1}));
  EXPECT_EQ(verdict.kind, Kind::Inconclusive);
  EXPECT_FALSE(verdict.interval);
  EXPECT_FALSE(verdict.detectable_effect);
  EXPECT_EQ(verdict.speedup, 2);
  EXPECT_EQ(verdict.rounds_still_needed, 2U);
  EXPECT_EQ(sentence(verdict, "A", "B"),
            "B against A is inconclusive after 5 rounds; about 2 more rounds are needed");
}

TEST(AbTest, BonferroniWidensTheIntervalOverATable) {
  const auto [a, b] = ramp(24, 1.4, 0.0575);
  const Verdict verdict = judge(a, b, {.comparisons = 10});
  EXPECT_DOUBLE_EQ(verdict.interval->confidence, 0.995);
  EXPECT_NEAR(verdict.interval->low, 1.3625, 1e-12);   // 5th of 24
  EXPECT_NEAR(verdict.interval->high, 1.4375, 1e-12);  // 20th of 24
  const std::vector eight(8, Seconds{1});
  EXPECT_EQ(judge(eight, eight, {.comparisons = 10}).kind, Kind::Inconclusive);
}

TEST(AbTest, ANarrowMarginIsGivenMoreDecimals) {
  const auto [a, b] = ramp(24, 1.4, 0.00575);  // margin 0.00275
  EXPECT_EQ(sentence(judge(a, b), "A", "B"), "B ran 1.400 ± 0.003 times faster than A");
}

TEST(AbTest, VerdictsHaveTheNamesThatRunsRecord) {
  EXPECT_EQ(name_of(Kind::Faster), "faster");
  EXPECT_EQ(name_of(Kind::Slower), "slower");
  EXPECT_EQ(name_of(Kind::Equivalent), "equivalent");
  EXPECT_EQ(name_of(Kind::Inconclusive), "inconclusive");
}

TEST(AbTest, ArmsThatCannotBePairedAreRefused) {
  EXPECT_THROW((void)judge(seconds({1, 2}), seconds({1})), Error);
  EXPECT_THROW((void)judge({}, {}), Error);
  EXPECT_THROW((void)judge(seconds({0}), seconds({1})), Error);
  EXPECT_THROW((void)judge(seconds({1}), seconds({-1})), Error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)judge(seconds({nan}), seconds({1})), Error);
  EXPECT_THROW((void)judge(seconds({1}), seconds({1}), {.comparisons = 0}), Error);
  EXPECT_THROW((void)judge(seconds({1}), seconds({1}), {.confidence = 1.5}), Error);
  EXPECT_THROW((void)judge(seconds({1}), seconds({1}), {.threshold = -0.1}), Error);
}

}  // namespace
}  // namespace ridgeline
