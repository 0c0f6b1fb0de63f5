#include "roofline/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::HasSubstr;

// 10 TFLOP/s fp32, 100 TFLOP/s bf16 tensor, 1 TB/s DRAM, 4 TB/s L2.
Ceilings made_ceilings() {
  Ceilings ceilings{.machine = "Made", .source = "a test"};
  ceilings.compute[index_of(ComputePath::Fp32)] = FlopPerSecond{10e12};
  ceilings.compute[index_of(ComputePath::TensorBf16)] = FlopPerSecond{100e12};
  ceilings.bandwidth[index_of(MemoryLevel::Dram)] = BytesPerSecond{1e12};
  ceilings.bandwidth[index_of(MemoryLevel::L2)] = BytesPerSecond{4e12};
  return ceilings;
}

RooflinePoint made(double ms, double gflop, double megabytes) {
  RooflinePoint point{.label = "k", .time = Seconds{ms / 1e3}};
  point.flop[index_of(ComputePath::Fp32)] = Flop{gflop * 1e9};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{megabytes * 1e6};
  return point;
}

TEST(VerdictTest, TheCeilingThatTakesLongestBinds) {
  // 8 ms of compute at best, 1 ms of DRAM.
  const PointVerdict compute = judge(made(10, 80, 1000), made_ceilings());
  EXPECT_EQ(compute.bound(), "fp32 compute");
  EXPECT_DOUBLE_EQ(compute.share, 0.8);
  EXPECT_NEAR(compute.won.count(), 2e-3, 1e-12);
  EXPECT_DOUBLE_EQ(compute.hfu.value(), 0.8);
  EXPECT_TRUE(compute.evidence.empty());
  const PointVerdict memory = judge(made(10, 1, 9000), made_ceilings());
  EXPECT_EQ(memory.bound(), "DRAM");
  EXPECT_DOUBLE_EQ(memory.share, 0.9);
}

TEST(VerdictTest, ACacheMayBindWhereDramDoesNot) {
  RooflinePoint point = made(10, 1, 1000);
  point.bytes[index_of(MemoryLevel::L2)] = Bytes{32e9};
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "L2");
}

TEST(VerdictTest, EachDtypeIsHeldToItsOwnPeakAndUnitsRunSideBySide) {
  RooflinePoint point = made(10, 30, 100);                      // 3 ms of vector work
  point.flop[index_of(ComputePath::TensorBf16)] = Flop{700e9};  // 7 ms of tensor work
  const PointVerdict verdict = judge(point, made_ceilings());
  EXPECT_EQ(verdict.bound(), "bf16 tensor compute");
  EXPECT_DOUBLE_EQ(verdict.share, 0.7);
  EXPECT_DOUBLE_EQ(verdict.hfu.value(), 1.0);
}

TEST(VerdictTest, FarFromEveryCeilingTheCauseIsNamed) {
  RooflinePoint point = made(10, 1, 1000);
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "latency");
  point.waves = 0.5;
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "occupancy");
  point.waves = 8;
  point.occupancy_percent = 25;
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "occupancy");
  point.calls = 5000;  // 2 µs each
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "launch");
  RooflinePoint of_host = made(10, 1, 1000);
  of_host.calls = 5000;
  of_host.by_shapes = true;
  EXPECT_EQ(judge(of_host, made_ceilings()).bound(), "latency") << "nothing is launched";
}

TEST(VerdictTest, CausesAreSummedByTime) {
  RooflinePoint slow = made(10, 1, 1000);
  RooflinePoint few = made(6, 1, 1000);
  few.waves = 0.5;
  RooflinePoint bound = made(4, 40, 400);
  EXPECT_EQ(cause_sentence({slow, few, bound}, made_ceilings()),
            "No ceiling was reached in 80 % of the time: latency 50 %, occupancy 30 %.");
  EXPECT_FALSE(cause_sentence({slow, bound}, made_ceilings())) << "nothing is told apart";
  EXPECT_FALSE(cause_sentence({few}, {})) << "without ceilings none was missed";
}

TEST(VerdictTest, FarFromEveryCeilingHasItsEvidence) {
  RooflinePoint point = made(10, 1, 1000);
  point.sm_percent = 12;
  point.dram_percent = 9;
  point.waves = 0.25;
  point.calls = 5000;
  const PointVerdict verdict = judge(point, made_ceilings());
  EXPECT_EQ(verdict.bound(), "launch");
  EXPECT_THAT(verdict.evidence, HasSubstr("2.0 µs a call"));
  EXPECT_THAT(verdict.evidence, HasSubstr("0.25 waves"));
  EXPECT_THAT(verdict.evidence, HasSubstr("multiprocessors 12 % and DRAM 9 % busy"));
  EXPECT_THAT(verdict.evidence, HasSubstr("10 % of DRAM"));
  point.sm_percent = 77;
  EXPECT_THAT(judge(point, made_ceilings()).evidence, HasSubstr("77 % busy, with instructions"));
}

TEST(VerdictTest, APointAboveItsCeilingWinsNothingAndIsSuspect) {
  const PointVerdict verdict = judge(made(1, 1, 2000), made_ceilings());
  EXPECT_DOUBLE_EQ(verdict.share, 2);
  EXPECT_EQ(verdict.won.count(), 0);
  EXPECT_THAT(verdict.evidence, HasSubstr("another machine"));
}

TEST(VerdictTest, WithoutACeilingThatAppliesTheBoundIsUnknown) {
  EXPECT_EQ(judge(made(1, 1, 1), {}).bound(), "unknown");
  EXPECT_EQ(judge(made(1, 0, 0), made_ceilings()).bound(), "unknown");
  EXPECT_EQ(judge(made(0, 1, 1), made_ceilings()).bound(), "unknown");
}

TEST(VerdictTest, TheStepsGapIsSharedOutByKind) {
  RooflinePoint norm = made(10, 0, 4000);  // could take 4 ms
  norm.kind = OpKind::Normalisation;
  RooflinePoint conv = made(10, 80, 1000);  // could take 8 ms
  conv.kind = OpKind::Convolution;
  RooflinePoint idle = made(1, 0, 0);
  const StepVerdict step = judge_step({norm, conv, idle}, made_ceilings());
  EXPECT_NEAR(step.time.count(), 21e-3, 1e-12);
  EXPECT_NEAR(step.least.count(), 13e-3, 1e-12);
  ASSERT_EQ(step.gap.size(), 2U);
  EXPECT_EQ(step.gap[0].kind, "normalisation");
  EXPECT_NEAR(step.gap[0].share_of_gap, 0.75, 1e-9);
  EXPECT_NEAR(step.unexplained.count(), 1e-3, 1e-12);
  EXPECT_EQ(step_sentence(step, made_ceilings()),
            "This took 21.00 ms and could take 13.00 ms at best on Made (a test); 75 % of the gap "
            "is normalisation (6.00 ms), 25 % convolution (2.00 ms). 1.00 ms of it did nothing "
            "that was counted and stays as it is.");
}

TEST(VerdictTest, UtilisationsFollowTheirDefinitions) {
  EXPECT_DOUBLE_EQ(model_flop_utilisation(Flop{5e12}, Seconds{1}, FlopPerSecond{10e12}).value(),
                   0.5);
  EXPECT_FALSE(model_flop_utilisation(Flop{1}, Seconds{0}, FlopPerSecond{1}));
  EXPECT_FALSE(model_flop_utilisation(Flop{1}, Seconds{1}, FlopPerSecond{0}));
  EXPECT_FALSE(hardware_flop_utilisation(made(1, 0, 1), made_ceilings()));
  RooflinePoint half = made(1, 1, 1);
  const auto pure = hardware_flop_utilisation(half, made_ceilings());
  half.flop[index_of(ComputePath::Fp16)] = 0.001 * half.total_flop();
  EXPECT_EQ(hardware_flop_utilisation(half, made_ceilings()), pure) << "too little to matter";
  half.flop[index_of(ComputePath::Fp16)] = half.total_flop();
  EXPECT_FALSE(hardware_flop_utilisation(half, made_ceilings())) << "no peak for fp16";
}

TEST(VerdictTest, FlopsWithoutAKnownPeakAreToldAndNeverCalledLatency) {
  RooflinePoint point = made(10, 1, 1000);
  point.flop[index_of(ComputePath::TensorFp8)] = Flop{99e9};
  const PointVerdict verdict = judge(point, made_ceilings());
  EXPECT_EQ(verdict.bound(), "unknown");
  EXPECT_EQ(verdict.evidence, "no peak is known for 99 % of its FLOPs; 10 % of DRAM");
  EXPECT_EQ(
      without_peak_sentence({point, made(1, 0, 1)}, made_ceilings()),
      "No fp8 tensor peak is known (Made: a test): 99 GFLOP (99 %) stand under no ceiling, so "
      "that there is no HFU and less to win than is told.");
  EXPECT_FALSE(cause_sentence({point}, made_ceilings()));
  RooflinePoint partly = made(10, 60, 1000);
  partly.flop[index_of(ComputePath::TensorFp8)] = Flop{30e9};
  EXPECT_EQ(judge(partly, made_ceilings()).bound(), "fp32 compute");
  partly.flop[index_of(ComputePath::Fp32)] = Flop{40e9};
  EXPECT_EQ(judge(partly, made_ceilings()).bound(), "latency") << "most of it has its peak";
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{9e9};
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "DRAM") << "that one it reached";
  point.flop[index_of(ComputePath::TensorFp8)] = Flop{1e6};
  EXPECT_FALSE(without_peak_sentence({point}, made_ceilings())) << "too little to matter";
  EXPECT_FALSE(without_peak_sentence({}, made_ceilings()));
}

TEST(VerdictTest, WhatDoesNoWorkIsOverheadAndAllOfItIsToWin) {
  RooflinePoint point = made(10, 0, 0);
  point.by_shapes = true;
  const PointVerdict verdict = judge(point, made_ceilings());
  EXPECT_EQ(verdict.bound(), "overhead");
  EXPECT_NEAR(verdict.won.count(), 10e-3, 1e-12);
  const StepVerdict step = judge_step({made(10, 80, 1000), point}, made_ceilings());
  EXPECT_NEAR(step.least.count(), 8e-3, 1e-12);
  EXPECT_EQ(step.gap.front().kind, "overhead");
  EXPECT_EQ(step.unexplained.count(), 0);
}

TEST(VerdictTest, OverheadIsKnownByWhateverLevelWasAskedFor) {
  RooflinePoint point{.label = "(overhead)", .time = Seconds{1e-3}};
  point.by_shapes = true;
  point.bytes[index_of(MemoryLevel::L2)] = Bytes{};
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "overhead");
  point.bytes[index_of(MemoryLevel::L2)] = Bytes{1};
  EXPECT_NE(judge(point, made_ceilings()).bound(), "overhead");
}

TEST(VerdictTest, SumsOfCountedAndModelledPointsMayBeInACacheToo) {
  RooflinePoint point = made(1, 0.1, 2000);
  point.partly_by_shapes = true;
  EXPECT_THAT(judge(point, made_ceilings()).evidence, HasSubstr("still in a cache"));
}

TEST(VerdictTest, WhatHasNoCostModelStaysAsItIs) {
  RooflinePoint point{.label = "mine::op", .time = Seconds{5e-3}};
  point.by_shapes = true;
  EXPECT_EQ(judge(point, made_ceilings()).bound(), "unknown");
  EXPECT_NEAR(judge_step({point}, made_ceilings()).unexplained.count(), 5e-3, 1e-12);
}

TEST(VerdictTest, FasterThanMemoryByShapesIsACacheAndNoContradiction) {
  RooflinePoint point = made(1, 0.1, 2000);
  EXPECT_THAT(judge(point, made_ceilings()).evidence, HasSubstr("above its ceiling"));
  point.by_shapes = true;
  EXPECT_THAT(judge(point, made_ceilings()).evidence, HasSubstr("in a cache"));
}

TEST(VerdictTest, WhatAGroupCanWinIsTheSumOfWhatItsPointsCan) {
  // One is far from its ceiling of compute, one sits on DRAM's: as one they would fill neither.
  const std::vector<RooflinePoint> points{made(10, 20, 10), made(10, 0.1, 10000)};
  const auto groups = judged_groups(points, PointGrouping::Kernel, made_ceilings());
  ASSERT_EQ(groups.size(), 1U);
  const StepVerdict step = judge_step(points, made_ceilings());
  EXPECT_DOUBLE_EQ(judge(groups[0], made_ceilings()).won.count(), (step.time - step.least).count());
  EXPECT_NEAR(judge(groups[0], made_ceilings()).won.count(), 8e-3, 1e-9);
  EXPECT_FALSE(judged_groups(points, PointGrouping::Kernel, {}).front().won);
}

}  // namespace
}  // namespace ridgeline
