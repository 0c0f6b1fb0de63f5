#include "train/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Remembers what it was fed; every sample costs its batch's number as loss.
class FakeTrainer final : public Trainer {
 public:
  void upload(const HostBatch& batch, std::size_t) override {
    fed.push_back(*batch.labels);
    totals_.loss += static_cast<double>(*batch.labels) * static_cast<double>(batch.count);
    totals_.samples += static_cast<std::int64_t>(batch.count);
    totals_.correct += 1;
  }
  void keep_images(const ImageArray&, const TransformOptions&, const ResidentShape&) override {}
  void begin_epoch(std::span<const SamplePlan>) override {}
  void step() override {
    if (taken_ == bad_step) {
      totals_.first_bad_step = taken_;
      ++totals_.bad_steps;
    }
    ++taken_;
    ++times_.steps;
    times_.busy += Seconds{1};
  }
  void wait() override {}
  TrainTotals take_totals() override { return std::exchange(totals_, {}); }
  TrainTimes take_times() override { return std::exchange(times_, {}); }
  void begin_evaluation() override {}
  void evaluate(const HostBatch&) override {}
  std::vector<float> predict(const HostBatch&) override { return {}; }
  void end_evaluation() override {}
  [[nodiscard]] std::int64_t steps_taken() const override { return taken_; }
  Value state() override { return {Dict{}}; }
  void restore(const Value&, std::int64_t) override {}
  NamedArrays weights() override { return {}; }
  LoadedWeights load_weights(const NamedArrays&) override { return {}; }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  void reset_peak_memory() override {}
  void profile_next_step() override {}

  std::vector<std::int64_t> fed;
  std::int64_t bad_step = -1;

 private:
  std::int64_t taken_ = 0;
  TrainTotals totals_;
  TrainTimes times_;
};

// Batch b of epoch e is the number 100 e + b; four samples each.
class FakeSource final : public BatchSource {
 public:
  explicit FakeSource(std::int64_t per_epoch) : per_epoch_(per_epoch) {}
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return per_epoch_; }
  void seek(std::int64_t epoch, std::int64_t batch) override { next_ = epoch * per_epoch_ + batch; }
  HostBatch next() override {
    number_ = 100 * (next_ / per_epoch_) + next_ % per_epoch_;
    ++next_;
    return {.labels = &number_, .count = 4};
  }
  void release() override {}

 private:
  std::int64_t per_epoch_;
  std::int64_t next_ = 0;
  std::int64_t number_ = 0;
};

const std::vector<float> kRates(100, 0.1F);

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
  EXPECT_DOUBLE_EQ(epochs[0].training.loss, 1.5);
}

TEST(LoopTest, TheLossOfAReportIsThatOfItsSteps) {
  std::vector<double> losses;
  FakeTrainer trainer;
  FakeSource source(10);
  (void)run_loop(
      trainer, source, {.total_steps = 5, .steps_per_epoch = 10, .report_every = 2}, kRates, {},
      {.reported = [&](const StepReport& report) { losses.push_back(report.stretch.loss); }});
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
                 return std::optional(Score{.accuracy = score});
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
                 {.evaluate = [&] { return std::optional(Score{.accuracy = scores[epoch++]}); },
                  .epoch_ended = [&](const EpochReport& report) { best.push_back(report.best); }});
  EXPECT_THAT(best, ElementsAre(true, false, false, true));
}

TEST(LoopTest, TheFirstScoreIsTheBestEvenAtZero) {
  bool best = false;
  FakeTrainer trainer;
  FakeSource source(1);
  (void)run_loop(trainer, source, {.total_steps = 1, .steps_per_epoch = 1}, kRates, {},
                 {.evaluate = [] { return std::optional(Score{.accuracy = 0}); },
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

TEST(LoopTest, ALossThatIsNotFiniteStopsItAndNamesTheStep) {
  FakeTrainer trainer;
  trainer.bad_step = 4;
  FakeSource source(10);
  EXPECT_THAT(message_of(Fault::Device,
                         [&] {
                           (void)run_loop(trainer, source,
                                          {.total_steps = 10, .steps_per_epoch = 10}, kRates, {},
                                          {});
                         }),
              HasSubstr("step 5 is not finite"));
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
