#include "measure/row_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/measure_row.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

std::vector<Seconds> seconds(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

StepTimes step_of(double total) {
  return {.forward = Seconds{total / 4},
          .backward = Seconds{total / 2},
          .optimizer = Seconds{total / 4},
          .total = Seconds{total},
          .host = Seconds{total / 8}};
}

RowSpec tiny_row(Extent extent) {
  RowSpec spec{.model = TransformerSpec{.label = "tiny", .context_length = 16, .batch_size = 2},
               .settings = {.device = {}, .extent = extent},
               .phases = {Phase::Step},
               .plan = {}};
  spec.settings.accumulation = 2;
  return spec;
}

Measured measured_of(const std::vector<double>& totals) {
  Measured measured;
  for (const double total : totals) measured.samples.measured.push_back(step_of(total));
  measured.memory = {.current = Bytes{10}, .peak = Bytes{30}, .reserved = Bytes{40}};
  return measured;
}

json row_of(const RowSpec& spec, const Measured& measured,
            const FoundPeak<FlopPerSecond>& peak = {}) {
  json row = row_header(spec);
  add_measured(row, spec, measured, peak);
  return row;
}

std::vector<double> warm_then_steady() {
  std::vector<double> totals(10, 8.0);
  totals.resize(70, 1.0);
  return totals;
}

TEST(StatisticsJsonTest, KnownNumbersOfAKnownSeries) {
  const json stats = statistics_json(seconds({3, 1, 2, 5, 4, 6, 7}));
  EXPECT_EQ(stats["samples_s"], json({3.0, 1.0, 2.0, 5.0, 4.0, 6.0, 7.0}));
  EXPECT_EQ(stats["count"], 7);
  EXPECT_DOUBLE_EQ(stats["median_s"], 4);
  EXPECT_DOUBLE_EQ(stats["mean_s"], 4);
  EXPECT_NEAR(stats["std_s"].get<double>(), 2.1602468994692869, 1e-15);
  EXPECT_NEAR(stats["cv_percent"].get<double>(), 54.006172486732172, 1e-12);
  EXPECT_DOUBLE_EQ(stats["min_s"], 1);
  EXPECT_DOUBLE_EQ(stats["max_s"], 7);
  EXPECT_DOUBLE_EQ(stats["median_low_s"],
                   1);  // seven samples: the extremes bound the median at 95 %
  EXPECT_DOUBLE_EQ(stats["median_high_s"], 7);
  EXPECT_GE(stats["confidence"].get<double>(), 0.95);
  EXPECT_EQ(stats["outliers_mild"], 0);
  EXPECT_EQ(stats["outliers_severe"], 0);
}

TEST(StatisticsJsonTest, AnOutlierIsLabelledAndKept) {
  std::vector<double> values{10, 11, 12, 13, 14, 15, 16, 17, 100};
  const json stats = statistics_json(seconds(values));
  EXPECT_EQ(stats["outliers_severe"], 1);
  EXPECT_EQ(stats["samples_s"].size(), 9U);
  EXPECT_DOUBLE_EQ(stats["max_s"], 100);
}

TEST(StatisticsJsonTest, WhatIsTooFewForAStatisticIsAbsent) {
  const json one = statistics_json(seconds({2}));
  EXPECT_FALSE(one.contains("std_s"));
  EXPECT_FALSE(one.contains("cv_percent"));
  EXPECT_FALSE(one.contains("median_low_s"));
  const json ten = statistics_json(seconds(std::vector<double>(10, 2)));
  EXPECT_TRUE(ten.contains("median_low_s"));
  for (const char* key : {"p90_s", "p95_s", "p99_s"}) EXPECT_FALSE(ten.contains(key)) << key;
}

TEST(StatisticsJsonTest, PercentilesAppearOneByOneAsSamplesGrow) {
  const json some = statistics_json(seconds(std::vector<double>(40, 2)));
  EXPECT_TRUE(some.contains("p90_s"));
  EXPECT_FALSE(some.contains("p99_s"));
  const json many = statistics_json(seconds(std::vector<double>(400, 2)));
  for (const char* key : {"p90_s", "p95_s", "p99_s"}) EXPECT_TRUE(many.contains(key)) << key;
}

TEST(AddMeasuredTest, AnAdaptiveRowCountsStepsBeforeTheSteadyStateAsWarmup) {
  const json row = row_of(tiny_row(Extent::Step), measured_of(warm_then_steady()));
  EXPECT_EQ(row["steady"]["class"], "warmup");
  EXPECT_EQ(row["steady"]["from_step"], 10);
  EXPECT_EQ(row["warmup_s"], json(std::vector<double>(10, 8.0)));
  EXPECT_EQ(row["phases"]["total"]["count"], 60);
  EXPECT_DOUBLE_EQ(row["phases"]["total"]["max_s"], 1);
}

TEST(AddMeasuredTest, ANumberOfStepsAskedForIsKeptWhole) {
  RowSpec spec = tiny_row(Extent::Step);
  spec.plan.measure_steps = 70;
  Measured measured = measured_of(warm_then_steady());
  measured.samples.warmup.push_back(step_of(9));
  const json row = row_of(spec, measured);
  EXPECT_EQ(row["phases"]["total"]["count"], 70);
  EXPECT_EQ(row["warmup_s"], json({9.0}));
  EXPECT_EQ(row["plan"]["measure_steps"], 70);
}

TEST(AddMeasuredTest, OnlyThePhasesThatRanAreThere) {
  const Measured measured = measured_of({1, 1, 1});
  const json inference = row_of(tiny_row(Extent::Inference), measured);
  EXPECT_EQ(inference["phases"].size(), 2U);
  EXPECT_TRUE(inference["phases"].contains("forward"));
  EXPECT_TRUE(inference["phases"].contains("total"));
  const json backward = row_of(tiny_row(Extent::Backward), measured);
  EXPECT_TRUE(backward["phases"].contains("backward"));
  EXPECT_FALSE(backward["phases"].contains("optimizer"));
  EXPECT_FALSE(backward["flop"].contains("optimizer"));
  EXPECT_TRUE(row_of(tiny_row(Extent::Step), measured)["phases"].contains("optimizer"));
}

TEST(AddMeasuredTest, HostLaunchTimeStandsInGpuRowsAlone) {
  RowSpec spec = tiny_row(Extent::Step);
  EXPECT_FALSE(row_of(spec, measured_of({1, 1}))["host_launch"].is_object());
  spec.settings.device.kind = DeviceKind::Cuda;
  EXPECT_DOUBLE_EQ(row_of(spec, measured_of({1, 1}))["host_launch"]["median_s"], 0.125);
}

TEST(AddMeasuredTest, RatesFollowFromTheMedian) {
  const json row = row_of(tiny_row(Extent::Step), measured_of({0.5, 0.5, 0.5}));
  EXPECT_DOUBLE_EQ(row["samples_per_s"], 2 * 2 / 0.5);
  EXPECT_DOUBLE_EQ(row["tokens_per_s"], 2 * 2 * 16 / 0.5);
  const json& flop = row["flop"];
  const double executed = flop["forward"].get<double>() + flop["backward"].get<double>() +
                          flop["optimizer"].get<double>();
  EXPECT_DOUBLE_EQ(row["flop_per_s"], executed / 0.5);
}

TEST(AddMeasuredTest, MfuIsUsefulWorkOverThePeakAndAbsentWithoutOne) {
  const RowSpec spec = tiny_row(Extent::Step);
  const json without = row_of(spec, measured_of({0.5, 0.5}));
  EXPECT_FALSE(without.contains("mfu"));
  EXPECT_FALSE(without.contains("peak"));
  const json with = row_of(spec, measured_of({0.5, 0.5}), {.rate = FlopPerSecond{1e12}});
  EXPECT_DOUBLE_EQ(with["mfu"], model_flop(spec.model, spec.settings).value().count / 0.5 / 1e12);
  EXPECT_EQ(with["peak"]["dtype"], "fp32");
}

TEST(AddMeasuredTest, AStepAboveThePeakHasNoMfuButAWarning) {
  const json row =
      row_of(tiny_row(Extent::Step), measured_of({0.5, 0.5}), {.rate = FlopPerSecond{1}});
  EXPECT_FALSE(row.contains("mfu"));
  ASSERT_EQ(row["warnings"].size(), 1);
  EXPECT_THAT(row["warnings"][0].get<std::string>(), ::testing::StartsWith("no MFU"));
}

TEST(AddMeasuredTest, APeakThatIsNoneSaysWhyThereIsNoMfu) {
  const json row = row_of(tiny_row(Extent::Step), measured_of({0.5, 0.5}),
                          {.why_absent = "the interval of the fp32 peak is 34 % wide"});
  EXPECT_FALSE(row.contains("mfu"));
  EXPECT_FALSE(row.contains("peak"));
  EXPECT_EQ(row["warnings"], json({"no MFU: the interval of the fp32 peak is 34 % wide"}));
}

TEST(AddMeasuredTest, MemoryIsMeasuredAndPredicted) {
  const RowSpec spec = tiny_row(Extent::Step);
  const json memory = row_of(spec, measured_of({1}))["memory"];
  EXPECT_DOUBLE_EQ(memory["current_bytes"], 10);
  EXPECT_DOUBLE_EQ(memory["peak_bytes"], 30);
  EXPECT_DOUBLE_EQ(memory["reserved_bytes"], 40);
  EXPECT_DOUBLE_EQ(memory["predicted_bytes"],
                   memory_need(spec.model, spec.settings).value().peak.count);
}

TEST(AddMeasuredTest, EnergyIsThereOnlyWhenItWasMeasured) {
  Measured measured = measured_of({1});
  EXPECT_FALSE(row_of(tiny_row(Extent::Step), measured).contains("energy_j"));
  measured.energy_joules = 2.5;
  EXPECT_DOUBLE_EQ(row_of(tiny_row(Extent::Step), measured)["energy_j"], 2.5);
}

TEST(AddMeasuredTest, ASeriesThatNeverSettlesCarriesAWarning) {
  std::vector<double> restless(60, 1.0);
  restless.resize(80, 4.0);
  const json row = row_of(tiny_row(Extent::Step), measured_of(restless));
  EXPECT_EQ(row["steady"]["class"], "no_steady_state");
  EXPECT_EQ(row["phases"]["total"]["count"], 80);
  EXPECT_THAT(row["warnings"].get<std::vector<std::string>>(),
              Contains(HasSubstr("no steady state")));
}

TEST(AddMeasuredTest, AThrottledSeriesCarriesAWarning) {
  std::vector<double> slowing(40, 1.0);
  slowing.resize(100, 2.0);
  const json row = row_of(tiny_row(Extent::Step), measured_of(slowing));
  EXPECT_EQ(row["steady"]["class"], "slowdown");
  EXPECT_THAT(row["warnings"].get<std::vector<std::string>>(),
              Contains(HasSubstr("% slower during the measurement")));
}

TEST(AddMeasuredTest, TheReasonForStoppingIsAWord) {
  Measured measured = measured_of({1});
  const auto word = [&](Samples::Stop stop) {
    measured.samples.stop = stop;
    return row_of(tiny_row(Extent::Step), measured)["stopped_by"].get<std::string>();
  };
  EXPECT_EQ(word(Samples::Stop::Count), "count");
  EXPECT_EQ(word(Samples::Stop::Precision), "precision");
  EXPECT_EQ(word(Samples::Stop::Budget), "budget");
  EXPECT_EQ(word(Samples::Stop::Interrupt), "interrupt");
}

TEST(RowHeaderTest, SettingsPlanAndShapeStandInEveryRow) {
  RowSpec spec = tiny_row(Extent::Step);
  spec.plan = {.warmup_steps = 3, .budget = Seconds{7}, .target = 0.02};
  const json row = failed_row(spec, "memory", "no room");
  EXPECT_EQ(row["model"], "transformer");
  EXPECT_EQ(row["label"], "tiny");
  EXPECT_EQ(row["parameters"], parameter_count(spec.model).value());
  EXPECT_EQ(row["settings"]["batch_size"], 2);
  EXPECT_EQ(row["settings"]["context_length"], 16);
  EXPECT_FALSE(row["settings"].contains("image_size"));
  EXPECT_EQ(row["settings"]["tf32"], false);
  EXPECT_EQ(row["plan"]["warmup_steps"], 3);
  EXPECT_DOUBLE_EQ(row["plan"]["target_percent"], 2);
  EXPECT_FALSE(row["plan"].contains("measure_steps"));
  EXPECT_EQ(row["outcome"], "failed");
  EXPECT_EQ(row["fault"], "memory");
  EXPECT_EQ(row["reason"], "no room");
  EXPECT_EQ(skipped_row(spec, "why")["outcome"], "skipped");
}

}  // namespace
}  // namespace ridgeline
