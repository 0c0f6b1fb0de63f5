#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/bound.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

std::vector<std::string_view> levers(const ProfileFacts& facts) {
  std::vector<std::string_view> names;
  for (const Target& target : targets_of(facts)) names.push_back(target.lever);
  return names;
}

ProfileFacts step_with(const char* op, double seconds) {
  ProfileFacts facts{.on_gpu = true, .steps = 1, .step = Seconds{0.1}};
  facts.ops = {{.name = op, .kind = kind_of_op(op), .time = Seconds{seconds}, .calls = 1}};
  return facts;
}

TEST(TargetsTest, EachLeverIsNamedWhereItCouldWin) {
  using testing::ElementsAre;
  EXPECT_THAT(levers(step_with("aten::mul", 0.05)), ElementsAre("kernel fusion"));
  EXPECT_THAT(levers(step_with("nchwToNhwcKernel", 0.05)), ElementsAre("memory layout"));
  EXPECT_THAT(levers(step_with("attention", 0.05)), ElementsAre("flash attention"));
  EXPECT_THAT(levers(step_with("aten::mm", 0.05)), ElementsAre());
  ProfileFacts loading = step_with("aten::mm", 0.05);
  loading.data = DataFacts{.wait = Seconds{0.04}, .compute = Seconds{0.06}};
  EXPECT_THAT(levers(loading), ElementsAre("data loading"));
  ProfileFacts fused = step_with("attention", 0.05);
  fused.fused_attention = true;
  EXPECT_THAT(levers(fused), ElementsAre());
}

TEST(TargetsTest, OpsOfSeveralDevicesTookTheirTimeSideBySide) {
  ProfileFacts facts = step_with("aten::mul", 0.12);
  facts.other_devices = OtherDevices{.devices = 4, .least_busy = 0.9};
  ASSERT_EQ(targets_of(facts).size(), 1U);
  EXPECT_NEAR(targets_of(facts).front().gain, 0.3, 1e-12);
}

TEST(TargetsTest, HalfPrecisionWinsWhatThePeaksSay) {
  ProfileFacts facts = step_with("aten::mm", 0.08);
  facts.full_precision = true;
  facts.peak = FlopPerSecond{50e12};
  facts.half_peak = FlopPerSecond{200e12};
  ASSERT_EQ(targets_of(facts).size(), 1U);
  EXPECT_NEAR(targets_of(facts).front().gain, 0.8 * 0.75, 1e-12);
  facts.half_peak = FlopPerSecond{40e12};  // a CPU without bf16 units
  EXPECT_TRUE(targets_of(facts).empty());
}

TEST(TargetsTest, AWrongPeakPromisesNothing) {
  ProfileFacts facts = step_with("aten::mm", 0.08);
  facts.full_precision = true;
  facts.peak = FlopPerSecond{1e12};
  facts.half_peak = FlopPerSecond{273e12};
  facts.work = Flop{4e12};
  EXPECT_TRUE(targets_of(facts).empty()) << "the step reaches forty times the peak";
}

TEST(TargetsTest, CommunicationWinsWhatNothingHides) {
  ProfileFacts facts = step_with("aten::mm", 0.05);
  facts.communication = CommunicationFacts{.time = Seconds{0.05}, .alone = Seconds{0.03}};
  EXPECT_THAT(levers(facts), testing::ElementsAre("hidden communication"));
  EXPECT_DOUBLE_EQ(targets_of(facts).front().gain, 0.3);
}

TEST(TargetsTest, WaitingForDataIsNotCountedAgainAsLaunches) {
  ProfileFacts facts = step_with("aten::mm", 0.05);
  facts.busy = 0.5;
  facts.data = DataFacts{.wait = Seconds{0.05}, .compute = Seconds{0.05}};
  EXPECT_THAT(levers(facts), testing::ElementsAre("data loading"));
}

TEST(TargetsTest, WhatTheDeviceDoesDuringAWaitForDataLeavesItIdleElsewhere) {
  ProfileFacts facts = step_with("aten::mm", 0.05);
  facts.busy = 0.5;
  facts.data = DataFacts{.wait = Seconds{0.03}, .compute = Seconds{0.07}, .covered = Seconds{0.02}};
  const std::vector<Target> targets = targets_of(facts);
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].lever, "fewer launches, larger batch");
  EXPECT_NEAR(targets[0].gain, 0.4, 1e-12) << "half the step is idle, a tenth of it for data";
}

TEST(TargetsTest, WaitingForDataIsAPartOfTheStepsItWasMeasuredIn) {
  ProfileFacts facts = step_with("aten::mm", 0.01);
  facts.recorded = Seconds{0.02};  // other steps than those that the wait is known of
  facts.data = DataFacts{.wait = Seconds{0.01}, .compute = Seconds{0.09}};
  ASSERT_EQ(levers(facts), std::vector<std::string_view>{"data loading"});
  EXPECT_DOUBLE_EQ(targets_of(facts).front().gain, 0.1);
  EXPECT_FALSE(bound_of(facts)) << "a tenth binds nothing";
  EXPECT_EQ(wait_share({}), 0);
}

TEST(TargetsTest, MemoryComesAfterTime) {
  ProfileFacts facts = step_with("aten::mul", 0.002);
  facts.memory = MemoryFacts{.peak = Bytes{1e9}, .activations = Bytes{8e8}};
  facts.runs_backward = true;
  EXPECT_THAT(levers(facts), testing::ElementsAre("kernel fusion", "gradient checkpointing"));
}

TEST(TargetsTest, ABoundThatIsARoundingErrorsInverseIsNotTold) {
  ProfileFacts facts{.on_gpu = true, .steps = 1, .step = Seconds{0.1}, .busy = 1e-7};
  EXPECT_THAT(findings_text(facts), testing::HasSubstr("one CUDA graph or a larger batch.\n"));
  facts.busy = 0.5;
  EXPECT_THAT(findings_text(facts), testing::HasSubstr("larger batch; at most 2.00x.\n"));
}

TEST(TargetsTest, OurOwnFlagsAreNamedWhereAnotherRunCouldHaveThem) {
  const auto advice = [](const ProfileFacts& facts) { return targets_of(facts).at(0).text; };
  ProfileFacts idle{.on_gpu = true, .steps = 1, .step = Seconds{0.1}, .busy = 0.5};
  EXPECT_THAT(advice(idle), testing::Not(testing::HasSubstr("--"))) << "another tool's trace";
  idle.offers_graph = true;
  EXPECT_THAT(advice(idle), testing::HasSubstr("(--mode graph)"));
  idle.offers_graph = false;
  idle.replays_graph = true;
  EXPECT_THAT(advice(idle), testing::HasSubstr("between the replays of its graph; a larger batch"));

  ProfileFacts moving = step_with("void transpose_kernel", 0.05);
  EXPECT_THAT(advice(moving), testing::EndsWith("take 50.0 % of the step")) << "no convolutions";
  moving.ops.push_back({.name = "aten::convolution",
                        .kind = OpKind::Convolution,
                        .time = Seconds{0.02},
                        .calls = 1});
  EXPECT_THAT(advice(moving), testing::HasSubstr("channels last"));
  EXPECT_THAT(advice(moving), testing::Not(testing::HasSubstr("--")));
  moving.offers_channels_last = true;
  EXPECT_THAT(advice(moving), testing::HasSubstr("(--memory-format channels-last)"));
}

}  // namespace
}  // namespace ridgeline
