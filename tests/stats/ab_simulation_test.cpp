#include <gtest/gtest.h>

#include "stats/ab.h"
#include "stats/simulated_machine.h"

namespace ridgeline {
namespace {

using testing::Experiment;
using testing::run_interleaved;

constexpr std::size_t kExperiments = 2000;

struct Rates {
  double faster = 0, slower = 0;
};

Rates simulate(Experiment experiment, const AbOptions& options) {
  Rates rates;
  for (std::size_t i = 0; i < kExperiments; ++i) {
    experiment.seed = i + 1;
    const auto arms = run_interleaved(experiment);
    const Verdict verdict = judge(arms.a, arms.b, options);
    rates.faster += verdict.kind == Verdict::Kind::Faster ? 1.0 / kExperiments : 0;
    rates.slower += verdict.kind == Verdict::Kind::Slower ? 1.0 / kExperiments : 0;
  }
  return rates;
}

// A threshold of zero leaves the interval alone to decide, which is the harder test.
double false_alarms(const testing::Noise& noise) {
  const Rates rates = simulate({.noise = noise, .rounds = kDefaultRounds}, {.threshold = 0});
  return rates.faster + rates.slower;
}

TEST(AbSimulationTest, FalseAlarmsStayUnderFivePercentWhenTheMachineDrifts) {
  EXPECT_LE(false_alarms(testing::kDrift), 0.05);
}

TEST(AbSimulationTest, FalseAlarmsStayUnderFivePercentWhenNoiseIsAutocorrelated) {
  EXPECT_LE(false_alarms(testing::kAutocorrelated), 0.05);
}

TEST(AbSimulationTest, FalseAlarmsStayUnderFivePercentInBursts) {
  EXPECT_LE(false_alarms(testing::kBursts), 0.05);
}

TEST(AbSimulationTest, FalseAlarmsStayUnderFivePercentUnderRealisticNoise) {
  EXPECT_LE(false_alarms(testing::kRealistic), 0.05);
}

TEST(AbSimulationTest, FalseAlarmsAreNotImpossibleEither) {
  EXPECT_GT(false_alarms({}), 0.01);  // exactly 0.0288 is nominal for 36 independent rounds
}

// Both ways: a gain of 3 % and the loss that undoes it.
void expect_three_percent_found(const testing::Noise& noise, double at_least) {
  const Rates gain = simulate({.noise = noise, .rounds = kDefaultRounds, .effect = 0.03}, {});
  EXPECT_GE(gain.faster, at_least);
  EXPECT_EQ(gain.slower, 0);
  const Rates loss =
      simulate({.noise = noise, .rounds = kDefaultRounds, .effect = 1 / 1.03 - 1}, {});
  EXPECT_GE(loss.slower, at_least);
  EXPECT_EQ(loss.faster, 0);
}

TEST(AbSimulationTest, ThreePercentIsFoundAlmostAlwaysUnderRealisticNoise) {
  expect_three_percent_found(testing::kRealistic, 0.99);
}

TEST(AbSimulationTest, ThreePercentIsFoundNineTimesInTenInBursts) {
  expect_three_percent_found(testing::kBursts, 0.93);
}

}  // namespace
}  // namespace ridgeline
