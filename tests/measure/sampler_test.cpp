#include "measure/sampler.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

// Time moves only when the test says so.
struct ManualClock {
  static constexpr bool is_steady = true;
  static inline Seconds elapsed{0};
  static Seconds now() { return elapsed; }
};

// A step of a given length; `lengths` repeat from the start when they run out.
class FakeStep {
 public:
  explicit FakeStep(std::vector<double> lengths) : lengths_(std::move(lengths)) {}
  StepTimes operator()() {
    const Seconds length{lengths_[static_cast<std::size_t>(count_++) % lengths_.size()]};
    ManualClock::elapsed += length;
    return {.forward = length, .total = length, .host = length};
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::vector<double> lengths_;
  int count_ = 0;
};

Samples run(const SamplingPlan& plan, FakeStep& step, const SampleHooks& hooks = {}) {
  return sample<ManualClock>(plan, hooks, [&] { return step(); });
}

// Lengths that are sums of powers of two, so that times add up exactly.
constexpr double kThirtySecond = 0.03125;

TEST(SampleTest, WarmupStepsAreRunButNotRecordedAsMeasured) {
  FakeStep step({0.5, 0.25, 0.125, 0.125, 0.125});
  const Samples samples = run({.warmup_steps = 2, .measure_steps = 3}, step);
  EXPECT_EQ(step.count(), 5);
  ASSERT_EQ(samples.warmup.size(), 2U);
  EXPECT_EQ(samples.warmup[0].total, Seconds{0.5});
  EXPECT_EQ(samples.warmup[1].total, Seconds{0.25});
  ASSERT_EQ(samples.measured.size(), 3U);
  for (const StepTimes& times : samples.measured) EXPECT_EQ(times.total, Seconds{0.125});
}

TEST(SampleTest, TheWindowBeginsAfterTheWarmup) {
  FakeStep step({4, 4, 0.5, 0.5, 0.5});
  EXPECT_EQ(run({.warmup_steps = 2, .measure_steps = 3}, step).window, Seconds{1.5});
}

TEST(SampleTest, ExactlyTheCountAskedForIsMeasuredHoweverNoisyOrSlow) {
  FakeStep step({1, 100, 3, 50});
  const Samples samples = run({.warmup_steps = 0, .measure_steps = 7, .budget = Seconds{1}}, step);
  EXPECT_EQ(samples.measured.size(), 7U);
  EXPECT_EQ(samples.stop, Samples::Stop::Count);
}

TEST(SampleTest, TheBudgetEndsASeriesThatStaysNoisy) {
  FakeStep step({0.5, 1.5});
  const Samples samples = run({.warmup_steps = 0, .min_samples = 10, .budget = Seconds{20}}, step);
  EXPECT_EQ(samples.measured.size(), 20U);
  EXPECT_EQ(samples.stop, Samples::Stop::Budget);
}

TEST(SampleTest, TheLeastNumberOfSamplesOutranksTheBudget) {
  FakeStep step({4, 12});
  const Samples samples = run({.warmup_steps = 0, .min_samples = 10, .budget = Seconds{1}}, step);
  EXPECT_EQ(samples.measured.size(), 10U);
  EXPECT_EQ(samples.stop, Samples::Stop::Budget);
}

TEST(SampleTest, PrecisionIsNotBelievedBeforeTheLeastWindow) {
  FakeStep step({kThirtySecond});
  const Samples samples = run({.warmup_steps = 0, .min_samples = 10, .budget = Seconds{20}}, step);
  EXPECT_EQ(samples.stop, Samples::Stop::Precision);
  EXPECT_EQ(samples.measured.size(), 32U);  // ten would have been precise enough
  EXPECT_EQ(samples.window, kLeastWindow);
}

TEST(SampleTest, ABudgetBelowTheLeastWindowIsKept) {
  FakeStep step({kThirtySecond});
  const Samples samples = run({.warmup_steps = 0, .min_samples = 10, .budget = Seconds{0.5}}, step);
  EXPECT_EQ(samples.measured.size(), 16U);
}

TEST(SampleTest, SlowStepsStopAsSoonAsTheyArePrecise) {
  FakeStep step({2});
  const Samples samples =
      run({.warmup_steps = 0, .min_samples = 10, .budget = Seconds{1000}}, step);
  EXPECT_EQ(samples.stop, Samples::Stop::Precision);
  EXPECT_EQ(samples.measured.size(), 10U);
}

TEST(SampleTest, MostSamplesBoundsAnAdaptiveSeries) {
  FakeStep step({0.5, 1.5});
  const Samples samples =
      run({.warmup_steps = 0, .min_samples = 5, .max_samples = 8, .budget = Seconds{1000}}, step);
  EXPECT_EQ(samples.measured.size(), 8U);
  EXPECT_EQ(samples.stop, Samples::Stop::Count);
}

TEST(SampleTest, AnInterruptKeepsWhatWasMeasured) {
  FakeStep step({0.5});
  const Samples samples = run({.warmup_steps = 1, .measure_steps = 10}, step,
                              {.interrupted = [&] { return step.count() == 4; }});
  EXPECT_EQ(samples.stop, Samples::Stop::Interrupt);
  EXPECT_EQ(samples.warmup.size(), 1U);
  EXPECT_EQ(samples.measured.size(), 3U);
}

TEST(SampleTest, AnInterruptDuringTheWarmupMeasuresNothing) {
  FakeStep step({0.5});
  const Samples samples = run({.warmup_steps = 5, .measure_steps = 10}, step,
                              {.interrupted = [&] { return step.count() == 2; }});
  EXPECT_EQ(samples.stop, Samples::Stop::Interrupt);
  EXPECT_EQ(samples.warmup.size(), 2U);
  EXPECT_TRUE(samples.measured.empty());
}

TEST(SampleTest, ProgressEndsAtOneAndNeverFallsBack) {
  FakeStep step({0.5});
  std::vector<double> parts;
  (void)run({.warmup_steps = 0, .measure_steps = 4}, step,
            {.progressed = [&](double part) { parts.push_back(part); }});
  EXPECT_EQ(parts, (std::vector{0.25, 0.5, 0.75, 1.0}));
}

TEST(StoppingRuleTest, ACountAskedForBecomesAnExactCount) {
  const StoppingRule rule = stopping_rule({.measure_steps = 10});
  ASSERT_TRUE(std::holds_alternative<ExactCount>(rule));
  EXPECT_EQ(std::get<ExactCount>(rule).samples, 10U);
}

TEST(StoppingRuleTest, WithoutACountTheRuleIsThePlansPrecisionAndBudget) {
  const StoppingRule rule =
      stopping_rule({.min_samples = 12, .budget = Seconds{7}, .target = 0.02});
  ASSERT_TRUE(std::holds_alternative<UntilPrecise>(rule));
  const auto& precise = std::get<UntilPrecise>(rule);
  EXPECT_EQ(precise.min_samples, 12U);
  EXPECT_EQ(precise.budget, Seconds{7});
  EXPECT_DOUBLE_EQ(precise.target_fraction, 0.02);
}

}  // namespace
}  // namespace ridgeline
