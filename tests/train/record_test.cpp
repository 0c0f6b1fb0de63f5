#include "train/record.h"

#include <gtest/gtest.h>

#include "report/run_check.h"
#include "train/performance_summary.h"

namespace ridgeline {
namespace {

StepReport report_at(std::int64_t step, double loss) {
  StepReport report{.step = step, .epoch = 0, .learning_rate = 0.1};
  report.stretch = {.steps = 10,
                    .samples = 80,
                    .timed_samples = 80,
                    .loss = loss,
                    .accuracy = 25.0,
                    .wall = Seconds{2},
                    .data_wait = Seconds{0.5},
                    .compute = Seconds{1.4}};
  report.stretch.times = {.busy = Seconds{1.4},
                          .steps = 10,
                          .forward = Seconds{0.4},
                          .backward = Seconds{0.8},
                          .optimizer = Seconds{0.2},
                          .phase_steps = 10};
  report.memory.current = Bytes{1024.0 * 1024 * 10};
  return report;
}

TrainOutcome outcome_of(const Stretch& total) {
  TrainOutcome outcome;
  outcome.loop.total = total;
  outcome.loop.last_loss = 1.5;
  outcome.memory.peak = Bytes{1024.0 * 1024 * 20};
  return outcome;
}

TEST(TrainRecordTest, ARunWithItPassesTheCheck) {
  TrainRecord record({.label = "resnet18"});
  record.add(report_at(10, 2.5));
  record.add(EpochReport{.epoch = 0,
                         .step = 10,
                         .learning_rate = 0.1,
                         .training = report_at(10, 2.5).stretch,
                         .test = Score{.loss = 2, .accuracy = 30, .samples = 50},
                         .best = true});
  const nlohmann::json training = record.finish(outcome_of(report_at(10, 2.5).stretch));
  EXPECT_NO_THROW(
      check_run({{"schema_version", 1}, {"rows", nlohmann::json::array()}, {"training", training}},
                "run.json"));
  EXPECT_DOUBLE_EQ(training.at("steps").at(0).at("samples_per_s").get<double>(), 40);
  EXPECT_DOUBLE_EQ(training.at("epochs").at(0).at("test_accuracy_percent").get<double>(), 30);
}

TEST(TrainRecordTest, OfAnEpochThatAnEarlierSessionBeganTheTimedPartIsKept) {
  TrainRecord record({.label = "resnet18"});
  EpochReport report{.epoch = 0, .step = 10, .training = report_at(10, 2.5).stretch};
  record.add(report);
  EXPECT_FALSE(record.json().at("epochs").at(0).contains("timed_samples"));
  report.training.timed_samples = 20;
  record.add(report);
  const auto& entry = record.json().at("epochs").at(1);
  EXPECT_EQ(entry.at("timed_samples"), 20);
  EXPECT_DOUBLE_EQ(entry.at("samples_per_s").get<double>(), 10);
}

TEST(TrainRecordTest, LanguageModelsHaveTokensAndNoAccuracy) {
  TrainRecord record({.label = "tiny-llama", .tokens_a_sample = 128});
  record.add(report_at(10, 2.5));
  const auto& entry = record.json().at("steps").at(0);
  EXPECT_FALSE(entry.contains("accuracy_percent"));
  EXPECT_DOUBLE_EQ(entry.at("tokens_per_s").get<double>(), 40 * 128);
}

TEST(PerformanceSummaryTest, HasTheWorkshopsKeysInItsUnits) {
  TrainRecord record({.label = "tiny-llama", .tokens_a_sample = 128});
  record.add(report_at(10, 2.0));
  record.add(report_at(20, 1.0));
  Stretch total = report_at(20, 1).stretch;
  total.steps = 20;
  total.samples = 160;
  total.timed_samples = 160;
  total.wall = Seconds{4};
  const auto summary = performance_summary(record.finish(outcome_of(total)), {});
  const auto& numbers = summary.at("performance_summary");
  EXPECT_EQ(numbers.at("total_samples"), 160);
  EXPECT_DOUBLE_EQ(numbers.at("avg_training_speed").get<double>(), 40);
  EXPECT_DOUBLE_EQ(numbers.at("avg_loss").get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(numbers.at("avg_batch_time").get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(numbers.at("avg_forward_time").get<double>(), 0.04);
  EXPECT_DOUBLE_EQ(numbers.at("peak_memory_mb").get<double>(), 20);
  EXPECT_DOUBLE_EQ(numbers.at("avg_memory_mb").get<double>(), 10);
}

}  // namespace
}  // namespace ridgeline
