#include "measure/warmup_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json measured_row(const std::vector<double>& warmup, const std::vector<double>& samples) {
  return {{"outcome", "measured"},
          {"warmup_s", warmup},
          {"phases", {{"total", {{"samples_s", samples}, {"mean_s", 1.5}, {"median_s", 1.25}}}}}};
}

// 60 steps at 1 s after `first`.
json cold_row(std::vector<double> first) {
  first.resize(60, 1.0);
  json row = measured_row({}, first);
  row["startup"] = {{"load_s", 0.75}, {"build_s", 0.25}};
  return row;
}

WarmupStudy study_of(const json& cold) {
  return {.warmup_steps = {}, .rows = {}, .cold = cold, .grown = {}, .preloaded = {}};
}

std::string said(const json& result) { return result.at("advice").get<std::string>(); }

TEST(ExplainTest, ASlowFirstStepAsksForOneWarmupStep) {
  const json result = explain(study_of(cold_row({5.0})));
  EXPECT_EQ(result["steady_from_step"], 2);
  EXPECT_EQ(result["recommended_warmup_steps"], 1);
  EXPECT_DOUBLE_EQ(result["first_step_s"], 5);
  EXPECT_DOUBLE_EQ(result["steady_s"], 1);
  EXPECT_DOUBLE_EQ(result["warmup_cost_s"], 4);
  EXPECT_EQ(result["cold_steps_s"].size(), 60U);
  EXPECT_THAT(said(result),
              HasSubstr("loading the libraries took 750.00 ms and building the model 250.00 ms"));
  EXPECT_THAT(said(result), HasSubstr("The first step took 5 s, 5.0 times the steady 1 s"));
  EXPECT_THAT(said(result), HasSubstr("steady from step 2 on: use at least 1 warm-up step."));
}

TEST(ExplainTest, SlowStepsInARowAreAllCounted) {
  const json result = explain(study_of(cold_row({9.0, 4.0, 2.0})));
  EXPECT_EQ(result["recommended_warmup_steps"], 3);
  EXPECT_DOUBLE_EQ(result["warmup_cost_s"], 8 + 3 + 1);
  EXPECT_THAT(said(result),
              HasSubstr("the 3 steps before the steady state cost 12 s more than steady ones"));
}

TEST(ExplainTest, AFlatSeriesNeedsNoWarmup) {
  const json result = explain(study_of(cold_row({})));
  EXPECT_EQ(result["steady_from_step"], 1);
  EXPECT_EQ(result["recommended_warmup_steps"], 1);
  EXPECT_THAT(said(result), HasSubstr("nothing needs warming up"));
  EXPECT_TRUE(result["causes"].empty());
}

TEST(ExplainTest, AFirstStepFasterThanTheRestHasNoCauses) {
  WarmupStudy study = study_of(cold_row({0.5}));
  study.grown = measured_row({}, {0.4});
  const json result = explain(study);
  EXPECT_TRUE(result["causes"].empty());
  EXPECT_DOUBLE_EQ(result["warmup_cost_s"], 0);
}

TEST(ExplainTest, ALoneInterruptionLaterIsNoWarmup) {
  std::vector<double> steps(60, 1.0);
  steps[20] = 30;
  const json result = explain(study_of(cold_row(steps)));
  EXPECT_EQ(result["steady_from_step"], 1);
}

TEST(ExplainTest, ASlowStepAfterAFastFirstOneDoesNotContradictItself) {
  const json result = explain(study_of(cold_row({1.0, 6.0})));
  EXPECT_EQ(result["recommended_warmup_steps"], 2);
  EXPECT_THAT(said(result), Not(HasSubstr("nothing needs warming up")));
  EXPECT_THAT(said(result), HasSubstr("the 2 steps before the steady state cost 5 s more"));
}

TEST(ExplainTest, ARestlessMachineGetsNoNumberOfWarmupSteps) {
  std::vector<double> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(i % 3 == 0 ? 2.0 : 1.0);
  const json result = explain(study_of(cold_row(steps)));
  EXPECT_FALSE(result.contains("recommended_warmup_steps"));
  EXPECT_FALSE(result.contains("steady_from_step"));
  EXPECT_THAT(said(result), HasSubstr("too restless"));
}

TEST(ExplainTest, CausesAreWhatEachProbeSavedAndTheRestIsInitialisation) {
  WarmupStudy study = study_of(cold_row({11.0}));
  study.grown = measured_row({}, {8.0});
  study.preloaded = measured_row({}, {6.0});
  const json causes = explain(study).at("causes");
  ASSERT_EQ(causes.size(), 3U);
  EXPECT_EQ(causes[0]["cause"], "allocator growth");
  EXPECT_DOUBLE_EQ(causes[0]["seconds"], 3);
  EXPECT_EQ(causes[1]["cause"], "kernel loading");
  EXPECT_DOUBLE_EQ(causes[1]["seconds"], 5);
  EXPECT_THAT(causes[2]["cause"].get<std::string>(), HasSubstr("library initialisation"));
  EXPECT_DOUBLE_EQ(causes[2]["seconds"], 2);
}

TEST(ExplainTest, AProbeThatSavedNothingNamesNoCause) {
  WarmupStudy study = study_of(cold_row({11.0}));
  study.grown = measured_row({}, {11.2});
  const json causes = explain(study).at("causes");
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_THAT(causes[0]["cause"].get<std::string>(), HasSubstr("library initialisation"));
  EXPECT_DOUBLE_EQ(causes[0]["seconds"], 10);
}

TEST(ExplainTest, WarmupStepsOfTheColdRowCountFromTheFirst) {
  json cold = measured_row({7.0, 3.0}, std::vector<double>(40, 1.0));
  EXPECT_EQ(explain(study_of(cold))["recommended_warmup_steps"], 2);
}

TEST(ExplainTest, WithoutAColdStartNothingIsClaimed) {
  for (const json& cold : {json(), json{{"outcome", "failed"}, {"reason", "no room"}}}) {
    const json result = explain(study_of(cold));
    EXPECT_FALSE(result.contains("recommended_warmup_steps"));
    EXPECT_THAT(said(result), HasSubstr("could not be measured"));
  }
}

TEST(ExplainTest, EverySettingThatWasMeasuredIsAPoint) {
  WarmupStudy study = study_of(cold_row({5.0}));
  study.warmup_steps = {0, 2, 5};
  study.rows = {measured_row({}, {1, 2}),
                {{"outcome", "failed"}, {"reason", "killed"}},
                measured_row({}, {1, 1})};
  study.rows[0]["label"] = "tiny";
  const json result = explain(study);
  EXPECT_EQ(result["label"], "tiny");
  ASSERT_EQ(result["points"].size(), 2U);
  EXPECT_EQ(result["points"][0]["warmup_steps"], 0);
  EXPECT_DOUBLE_EQ(result["points"][0]["time"]["mean_s"], 1.5);
  EXPECT_EQ(result["points"][1]["warmup_steps"], 5);
}

}  // namespace
}  // namespace ridgeline
