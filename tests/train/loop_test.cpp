#include "train/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "fake_training.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<float> kRates(100, 0.1F);

Score score_of(double accuracy) { return {.loss = 1, .accuracy = accuracy}; }

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(LoopTest, StepsGoThroughTheEpochsInOrder) {
  FakeTrainer trainer;
  FakeSource source(3);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 6, .steps_per_epoch = 3}, kRates, {}, {});
  EXPECT_THAT(trainer.fed, ElementsAre(0, 1, 2, 100, 101, 102));
  EXPECT_EQ(result.end, LoopEnd::Finished);
  EXPECT_EQ(result.state.step, 6);
  EXPECT_EQ(result.total.samples, 24);
  EXPECT_EQ(result.total.compute, Seconds{6});
}

TEST(LoopTest, AResumedRunSeesWhatTheWholeOneWouldHave) {
  FakeTrainer trainer;
  FakeSource source(4);
  (void)run_loop(trainer, source, {.total_steps = 4, .steps_per_epoch = 2, .micro_batches = 2},
                 kRates, {.step = 3}, {});
  EXPECT_THAT(trainer.fed, ElementsAre(102, 103));
}

TEST(LoopTest, BatchesThatDoNotFillAStepAreLeftOut) {
  FakeTrainer trainer;
  FakeSource source(5);
  (void)run_loop(trainer, source, {.total_steps = 4, .steps_per_epoch = 2, .micro_batches = 2},
                 kRates, {}, {});
  EXPECT_THAT(trainer.fed, ElementsAre(0, 1, 2, 3, 100, 101, 102, 103));
}

TEST(LoopTest, AnEpochThatWasInterruptedIsReportedAsAWhole) {
  std::vector<EpochReport> epochs;
  const LoopHooks hooks{
      .epoch_ended = [&](const EpochReport& report) { epochs.push_back(report); }};
  FakeSource source(4);
  FakeTrainer first;
  const LoopResult half =
      run_loop(first, source, {.total_steps = 4, .steps_per_epoch = 4, .stop_after_step = 3},
               kRates, {}, hooks);
  EXPECT_EQ(half.end, LoopEnd::Stopped);
  EXPECT_TRUE(epochs.empty());
  FakeTrainer second;
  (void)run_loop(second, source, {.total_steps = 4, .steps_per_epoch = 4}, kRates, half.state,
                 hooks);
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_EQ(epochs[0].training.samples, 16);
  EXPECT_DOUBLE_EQ(epochs[0].training.loss.value(), 1.5);
}

TEST(LoopTest, TheLossOfAReportIsThatOfItsSteps) {
  std::vector<double> losses;
  FakeTrainer trainer;
  FakeSource source(10);
  (void)run_loop(trainer, source, {.total_steps = 5, .steps_per_epoch = 10, .report_every = 2},
                 kRates, {}, {.reported = [&](const StepReport& report) {
                   losses.push_back(report.stretch.loss.value());
                 }});
  EXPECT_THAT(losses, ElementsAre(0.5, 2.5, 4));
}

TEST(LoopTest, ItStopsAtTheAccuracyAskedFor) {
  double score = 50;
  FakeTrainer trainer;
  FakeSource source(2);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 20, .steps_per_epoch = 2, .until_accuracy = 70},
               kRates, {}, {.evaluate = [&] {
                 score += 10;
                 return std::optional(score_of(score));
               }});
  EXPECT_EQ(result.end, LoopEnd::ReachedAccuracy);
  EXPECT_EQ(result.state.step, 4);
  EXPECT_DOUBLE_EQ(result.state.best_accuracy, 70);
}

TEST(LoopTest, OnlyABetterScoreIsTheBest) {
  std::vector<bool> best;
  const std::vector scores{60.0, 50.0, 60.0, 61.0};
  std::size_t epoch = 0;
  FakeTrainer trainer;
  FakeSource source(1);
  (void)run_loop(trainer, source, {.total_steps = 4, .steps_per_epoch = 1}, kRates, {},
                 {.evaluate = [&] { return std::optional(score_of(scores[epoch++])); },
                  .epoch_ended = [&](const EpochReport& report) { best.push_back(report.best); }});
  EXPECT_THAT(best, ElementsAre(true, false, false, true));
}

TEST(LoopTest, TheFirstScoreIsTheBestEvenAtZero) {
  bool best = false;
  FakeTrainer trainer;
  FakeSource source(1);
  (void)run_loop(trainer, source, {.total_steps = 1, .steps_per_epoch = 1}, kRates, {},
                 {.evaluate = [] { return std::optional(score_of(0)); },
                  .epoch_ended = [&](const EpochReport& report) { best = report.best; }});
  EXPECT_TRUE(best);
}

TEST(LoopTest, AnInterruptEndsItAfterTheStep) {
  FakeTrainer trainer;
  FakeSource source(10);
  const LoopResult result = run_loop(trainer, source, {.total_steps = 10, .steps_per_epoch = 10},
                                     kRates, {}, {.interrupted = [] { return true; }});
  EXPECT_EQ(result.end, LoopEnd::Interrupted);
  EXPECT_EQ(result.state.step, 1);
  EXPECT_EQ(result.state.epoch_samples, 4);
}

TEST(LoopTest, WithoutTheScoreOfItsLastTestItIsNotFinished) {
  FakeTrainer trainer;
  FakeSource source(2);
  const LoopHooks hooks{.evaluate = [] { return std::optional<Score>(); }};
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 2, .steps_per_epoch = 2}, kRates, {}, hooks);
  EXPECT_EQ(result.end, LoopEnd::Interrupted);
  EXPECT_EQ(result.state.step, 2);
}

TEST(LoopTest, StepsThatAreQueuedWhenItIsSavedTakeTimeOfTheirOwn) {
  FakeTrainer trainer;
  trainer.queued = std::chrono::milliseconds{20};
  FakeSource source(2);
  std::int64_t asked = 0;
  const LoopHooks hooks{.save_is_due = [&] { return ++asked == 1; }};
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 2, .steps_per_epoch = 2}, kRates, {}, hooks);
  EXPECT_GE(result.total.wall, Seconds{0.04});
}

TEST(LoopTest, ReportingTakesNoTimeOfTheTraining) {
  FakeTrainer trainer;
  FakeSource source(2);
  std::optional<Seconds> epoch;
  const LoopHooks hooks{
      .reported =
          [](const StepReport&) { std::this_thread::sleep_for(std::chrono::milliseconds{400}); },
      .epoch_ended = [&](const EpochReport& report) { epoch = report.training.wall; }};
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 2, .steps_per_epoch = 2, .report_every = 1}, kRates,
               {}, hooks);
  EXPECT_LT(result.total.wall, Seconds{0.3});
  EXPECT_LT(epoch.value(), Seconds{0.3});
}

TEST(LoopTest, RatesReadAsTheirShortestDecimal) {
  FakeTrainer trainer;
  FakeSource source(2);
  double rate = 0;
  const LoopHooks hooks{.reported = [&](const StepReport& report) { rate = report.learning_rate; }};
  (void)run_loop(trainer, source, {.total_steps = 1, .steps_per_epoch = 2}, {3e-4F}, {}, hooks);
  EXPECT_EQ(rate, 3e-4);
}

TEST(LoopTest, ALossThatIsNotFiniteStopsItAndNamesTheStep) {
  FakeTrainer trainer;
  trainer.bad_step = 4;
  FakeSource source(10);
  std::vector<std::int64_t> reported;
  const LoopResult result = run_loop(
      trainer, source, {.total_steps = 10, .steps_per_epoch = 10, .report_every = 6}, kRates, {},
      {.reported = [&](const StepReport& report) { reported.push_back(report.step); }});
  EXPECT_EQ(result.end, LoopEnd::Failed);
  ASSERT_TRUE(result.failure);
  EXPECT_THAT(text_of(result.failure), HasSubstr("step 5 is not finite"));
  EXPECT_FALSE(result.inside_step);
  EXPECT_THAT(reported, ElementsAre(6));  // what was measured until then, once
  EXPECT_EQ(result.total.steps, 6);
}

TEST(LoopTest, AFailureUnderWayLosesNoStepThatWasTaken) {
  FakeTrainer trainer;
  FakeSource source(10);
  source.broken_batch = 7;
  std::vector<std::int64_t> reported;
  const LoopResult result = run_loop(
      trainer, source, {.total_steps = 10, .steps_per_epoch = 10, .report_every = 5}, kRates, {},
      {.reported = [&](const StepReport& report) { reported.push_back(report.step); }});
  EXPECT_EQ(text_of(result.failure), "a broken image");
  EXPECT_THAT(reported, ElementsAre(5, 7));
  EXPECT_EQ(result.state.step, 7);
  EXPECT_EQ(result.state.epoch_samples, 28);
  EXPECT_FALSE(result.inside_step);
}

TEST(LoopTest, AFailureInsideAStepIsSaid) {
  FakeTrainer trainer;
  trainer.failing_step = 2;
  FakeSource source(10);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 10, .steps_per_epoch = 10}, kRates, {}, {});
  EXPECT_EQ(text_of(result.failure), "the device is gone");
  EXPECT_TRUE(result.inside_step);
  EXPECT_EQ(result.total.steps, 2);
}

TEST(LoopTest, ATestThatFailsDoesNotCostTheEpoch) {
  std::vector<EpochReport> epochs;
  FakeTrainer trainer;
  FakeSource source(3);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 6, .steps_per_epoch = 3}, kRates, {},
               {.evaluate = []() -> std::optional<Score> { throw bad_input("a broken image"); },
                .epoch_ended = [&](const EpochReport& report) { epochs.push_back(report); }});
  EXPECT_EQ(text_of(result.failure), "a broken image");
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_FALSE(epochs[0].test);
  EXPECT_EQ(epochs[0].state.step, 3);
  EXPECT_TRUE(epochs[0].state.test_is_due);
  EXPECT_EQ(epochs[0].state.epoch_samples, 12);  // for the row that it still owes
}

TEST(LoopTest, ItIsSavedInsideAnEpochWhenThatIsDue) {
  std::vector<LoopState> saved;
  std::vector<std::int64_t> reported;
  FakeTrainer trainer;
  FakeSource source(4);
  int asked = 0;
  (void)run_loop(trainer, source, {.total_steps = 8, .steps_per_epoch = 4, .report_every = 100},
                 kRates, {},
                 {.reported = [&](const StepReport& report) { reported.push_back(report.step); },
                  .save_is_due = [&] { return ++asked % 3 == 0; },
                  .save = [&](const LoopState& state) { saved.push_back(state); }});
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_EQ(saved[0].step, 3);
  EXPECT_EQ(saved[0].epoch_samples, 12);  // of steps that no line has told yet
  EXPECT_EQ(saved[1].step, 6);
  EXPECT_EQ(saved[1].epoch_samples, 8);
  EXPECT_THAT(reported, ElementsAre(4, 8));
}

// Broken off in the test of step `at`, and gone on with.
LoopResult broken_off_and_resumed(std::int64_t at, std::vector<EpochReport>& epochs) {
  FakeSource source(2);
  FakeTrainer first;
  const LoopPlan plan{.total_steps = 4, .steps_per_epoch = 2};
  LoopHooks hooks{.epoch_ended = [&](const EpochReport& report) { epochs.push_back(report); }};
  hooks.evaluate = [&] {
    return first.steps_taken() < at ? std::optional(score_of(50)) : std::nullopt;
  };
  const LoopResult half = run_loop(first, source, plan, kRates, {}, hooks);
  EXPECT_EQ(half.end, LoopEnd::Interrupted);
  EXPECT_TRUE(half.state.test_is_due);
  epochs.clear();
  FakeTrainer second;
  hooks.evaluate = [&] { return std::optional(score_of(60)); };
  return run_loop(second, source, plan, kRates, half.state, hooks);
}

TEST(LoopTest, ATestThatWasBrokenOffIsMadeUpBeforeTheNextStep) {
  std::vector<EpochReport> epochs;
  const LoopResult result = broken_off_and_resumed(2, epochs);
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[0].step, 2);
  EXPECT_DOUBLE_EQ(epochs[0].training.loss.value(), 0.5);
  EXPECT_TRUE(epochs[0].best);
  EXPECT_FALSE(epochs[0].state.test_is_due);
  EXPECT_EQ(epochs[1].training.samples, 8);
  EXPECT_EQ(result.end, LoopEnd::Finished);
  EXPECT_EQ(result.total.steps, 2);
}

TEST(LoopTest, ATestThatWasBrokenOffAtTheEndIsAllThatIsLeft) {
  std::vector<EpochReport> epochs;
  const LoopResult result = broken_off_and_resumed(4, epochs);
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_EQ(epochs[0].training.samples, 8);
  EXPECT_DOUBLE_EQ(result.state.best_accuracy, 60);
  EXPECT_EQ(result.end, LoopEnd::Finished);
  EXPECT_EQ(result.total.steps, 0);
}

TEST(LoopTest, WhatIsSavedBeforeATestSaysThatItIsDue) {
  std::vector<LoopState> saved;
  FakeTrainer trainer;
  FakeSource source(2);
  (void)run_loop(trainer, source, {.total_steps = 2, .steps_per_epoch = 2}, kRates, {},
                 {.evaluate = [] { return std::optional(score_of(50)); },
                  .save_is_due = [] { return true; },
                  .save = [&](const LoopState& state) { saved.push_back(state); }});
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_FALSE(saved[0].test_is_due);
  EXPECT_TRUE(saved[1].test_is_due);
  EXPECT_EQ(saved[1].epoch_samples, 8);
}

TEST(LoopTest, ARunThatEndsInsideAnEpochCarriesItOn) {
  std::vector<EpochReport> epochs;
  const LoopHooks hooks{
      .evaluate = [] { return std::optional(score_of(50)); },
      .epoch_ended = [&](const EpochReport& report) { epochs.push_back(report); }};
  FakeSource source(4);
  FakeTrainer first;
  const LoopResult short_run =
      run_loop(first, source, {.total_steps = 3, .steps_per_epoch = 4}, kRates, {}, hooks);
  FakeTrainer second;
  (void)run_loop(second, source, {.total_steps = 4, .steps_per_epoch = 4}, kRates, short_run.state,
                 hooks);
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[1].training.samples, 16);
  EXPECT_DOUBLE_EQ(epochs[1].training.loss.value(), 1.5);
}

TEST(LoopTest, AtTheEndOfAnEpochNothingOfItIsCarriedOn) {
  std::vector<LoopState> saved;
  FakeTrainer trainer;
  FakeSource source(2);
  (void)run_loop(trainer, source, {.total_steps = 2, .steps_per_epoch = 2}, kRates, {},
                 {.save_is_due = [] { return true; },
                  .save = [&](const LoopState& state) { saved.push_back(state); }});
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_EQ(saved[1].epoch_samples, 0);
}

TEST(LoopTest, AScoreWithALossThatIsNotFiniteIsNoBest) {
  std::vector<bool> best;
  FakeTrainer trainer;
  FakeSource source(1);
  const LoopResult result = run_loop(
      trainer, source, {.total_steps = 2, .steps_per_epoch = 1, .until_accuracy = 5}, kRates, {},
      {.evaluate = [] { return std::optional(Score{.loss = {}, .accuracy = 10}); },
       .epoch_ended = [&](const EpochReport& report) { best.push_back(report.best); }});
  EXPECT_THAT(best, ElementsAre(false, false));
  EXPECT_EQ(result.end, LoopEnd::Finished);
  EXPECT_LT(result.state.best_accuracy, 0);
}

TEST(LoopTest, WhereNoAccuracyIsKnownTheLowestLossIsTheBest) {
  std::vector<bool> best;
  const std::vector losses{3.0, 3.5, 2.0};
  std::size_t epoch = 0;
  FakeTrainer trainer;
  FakeSource source(1);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 3, .steps_per_epoch = 1}, kRates, {},
               {.evaluate = [&] { return std::optional(Score{.loss = losses[epoch++]}); },
                .epoch_ended = [&](const EpochReport& report) { best.push_back(report.best); }});
  EXPECT_THAT(best, ElementsAre(true, false, true));
  EXPECT_EQ(result.state.best_loss, 2.0);
  EXPECT_LT(result.state.best_accuracy, 0);
}

TEST(LoopTest, OfStepsThatWereAllSkippedNoLossIsKnown) {
  FakeTrainer trainer;
  trainer.bad_step = 0;
  FakeSource source(1);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 1, .steps_per_epoch = 1, .skip_bad_steps = true},
               kRates, {}, {});
  EXPECT_FALSE(result.last_loss);
  EXPECT_FALSE(result.total.accuracy);
}

TEST(LoopTest, SuchStepsCanBeSkipped) {
  FakeTrainer trainer;
  trainer.bad_step = 4;
  FakeSource source(10);
  const LoopResult result =
      run_loop(trainer, source, {.total_steps = 10, .steps_per_epoch = 10, .skip_bad_steps = true},
               kRates, {}, {});
  EXPECT_EQ(result.state.step, 10);
  EXPECT_EQ(result.total.bad_steps, 1);
}

}  // namespace
}  // namespace ridgeline
