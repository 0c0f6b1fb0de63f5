#include "profile/shape_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "profile/made_ops.h"

namespace ridgeline {
namespace {

using ridgeline::testing::kSmallMm;
using ridgeline::testing::MadeOps;
using ::testing::HasSubstr;

const RooflinePoint& point_of(const ShapePoints& points, const std::string& label) {
  for (const RooflinePoint& point : points.points)
    if (point.label == label) return point;
  throw std::out_of_range(label);
}

MadeOps host_step() {
  MadeOps made;
  made.frame("aten::mm", kSmallMm, 1, 40'000);
  made.frame("aten::mm", kSmallMm, 1, 20'000);
  made.frame("aten::relu", "[[8]]\n[\"Float\"]\n[null]", 1, 10'000);
  made.frame("aten::view", "[[8],[]]\n[\"Float\",\"\"]\n[null,null]", 1, 5'000);
  made.frame("mine::op", "", 1, 20'000);
  return made;
}

TEST(ShapePointsTest, OnAHostTheTimesAddUpToTheStep) {
  const MadeOps made = host_step();
  const ShapePoints points = shape_points(made.recording, {});
  double sum = 0;
  for (const RooflinePoint& point : points.points) sum += point.time.count();
  EXPECT_NEAR(sum, 100e-6, 1e-12);
  EXPECT_NEAR(points.step.count(), 100e-6, 1e-12);
  EXPECT_FALSE(points.on_device);
}

TEST(ShapePointsTest, CallsOfOneShapeAreOnePoint) {
  const ShapePoints points = shape_points(host_step().recording, {});
  const RooflinePoint& mm = point_of(points, "aten::mm");
  EXPECT_EQ(mm.calls, 2U);
  EXPECT_EQ(mm.total_flop().count, 120);
  EXPECT_EQ(mm.of(MemoryLevel::Dram)->count, 248);
  EXPECT_NEAR(mm.time.count(), 60e-6, 1e-12);
  EXPECT_EQ(mm.detail, "[[2,3],[3,5]]");
  EXPECT_EQ(mm.phase, "forward");
  EXPECT_EQ(mm.kind, OpKind::Matmul);
  EXPECT_TRUE(mm.by_shapes);
}

TEST(ShapePointsTest, WhatIsBetweenOpsIsOverheadAndWhatIsUnknownIsNamed) {
  const ShapePoints points = shape_points(host_step().recording, {});
  const RooflinePoint& overhead = point_of(points, "(overhead)");
  EXPECT_TRUE(overhead.is_overhead());
  EXPECT_NEAR(overhead.time.count(), 10e-6, 1e-12);
  const RooflinePoint& unknown = point_of(points, "mine::op");
  EXPECT_FALSE(unknown.is_overhead());
  EXPECT_FALSE(unknown.of(MemoryLevel::Dram));
  ASSERT_EQ(points.unmodelled.size(), 1U);
  EXPECT_EQ(points.unmodelled.front().name, "mine::op");
  EXPECT_NEAR(points.unmodelled.front().time.count(), 20e-6, 1e-12);
}

TEST(ShapePointsTest, SeveralStepsBecomeOne) {
  MadeOps made = host_step();
  made.recording.steps.push_back({.number = 1, .start = 100'000, .end = 200'000});
  const ShapePoints points = shape_points(made.recording, {});
  EXPECT_EQ(point_of(points, "aten::mm").calls, 1U);
  EXPECT_EQ(point_of(points, "aten::mm").total_flop().count, 60);
}

TEST(ShapePointsTest, AnOpThatWasHeldUpInOneStepDoesNotStandForAll) {
  MadeOps made;
  made.recording.steps = {{.number = 0, .start = 0, .end = 100'000},
                          {.number = 1, .start = 100'000, .end = 200'000},
                          {.number = 2, .start = 200'000, .end = 900'000}};
  for (const auto& [start, time] :
       {std::pair{10'000, 40'000}, {110'000, 42'000}, {210'000, 600'000}}) {
    made.frame("aten::mm", kSmallMm, 1, time);
    made.recording.ops.back().start = start;
  }
  const RooflinePoint mm = point_of(shape_points(made.recording, {}), "aten::mm");
  EXPECT_NEAR(mm.time.count(), 42e-6, 1e-12);
  EXPECT_EQ(mm.calls, 1U);
  EXPECT_EQ(mm.total_flop().count, 60);
}

TEST(ShapePointsTest, WhatFewStepsDidIsSharedAmongAll) {
  MadeOps made;
  made.recording.steps = {{.number = 0, .start = 0, .end = 100'000},
                          {.number = 1, .start = 100'000, .end = 200'000},
                          {.number = 2, .start = 200'000, .end = 300'000}};
  made.frame("aten::mm", kSmallMm, 1, 30'000);
  EXPECT_NEAR(point_of(shape_points(made.recording, {}), "aten::mm").time.count(), 10e-6, 1e-12);
}

TEST(ShapePointsTest, ALaunchHasTheMedianOfItsPlaceInAllSteps) {
  MadeOps made;
  made.recording.steps = {{.number = 0, .start = 0, .end = 100'000},
                          {.number = 1, .start = 100'000, .end = 200'000},
                          {.number = 2, .start = 200'000, .end = 300'000}};
  for (const auto& [start, time] : {std::pair{10'000, 100}, {110'000, 110}, {210'000, 900}}) {
    made.kernel("gemm", made.frame("aten::mm", kSmallMm, 1, 500), time);
    made.recording.ops.back().start = start;
    made.recording.device.back().start = start;
    made.recording.device.back().end = start + time;
  }
  const auto launches = shape_launches(made.recording, {.per = PointsPer::Kernel});
  ASSERT_EQ(launches.points.size(), 1U);
  EXPECT_NEAR(launches.points[0].time.count(), 110e-9, 1e-15);
  EXPECT_EQ(launches.points[0].total_flop().count, 60);
}

TEST(ShapePointsTest, EveryLevelThatIsAskedForGetsTheLeastBytes) {
  const ShapePoints points =
      shape_points(host_step().recording, {.levels = {MemoryLevel::Dram, MemoryLevel::L2}});
  EXPECT_EQ(point_of(points, "aten::mm").of(MemoryLevel::L2)->count, 248);
  EXPECT_FALSE(point_of(points, "aten::mm").of(MemoryLevel::L1));
}

TEST(ShapePointsTest, PhasesAndModulesTakeThePlaceOfOps) {
  const ShapePoints phases = shape_points(host_step().recording, {.per = PointsPer::Phase});
  EXPECT_EQ(phases.points.front().label, "forward");
  const ShapePoints modules = shape_points(host_step().recording, {.per = PointsPer::Module});
  EXPECT_EQ(modules.points.front().label, "(no module)");
  const auto step = grouped(shape_points(host_step().recording, {.per = PointsPer::Step}).points,
                            PointGrouping::Kernel);
  ASSERT_EQ(step.size(), 1U);
  EXPECT_EQ(step.front().label, "step");
  EXPECT_NEAR(step.front().time.count(), 100e-6, 1e-12);
}

TEST(ShapePointsTest, KernelsShareTheWorkOfTheirOpByTime) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 500);
  made.kernel("gemm", mm, 3'000);
  made.kernel("splitk", mm, 1'000);
  made.kernel("stray", 0, 700);
  const ShapePoints points = shape_points(made.recording, {.per = PointsPer::Kernel});
  EXPECT_EQ(point_of(points, "gemm").total_flop().count, 45);
  EXPECT_EQ(point_of(points, "splitk").of(MemoryLevel::Dram)->count, 31);
  EXPECT_FALSE(point_of(points, "stray").of(MemoryLevel::Dram));
  EXPECT_EQ(point_of(points, "stray").calls, 1U);
  const ShapePoints ops = shape_points(made.recording, {});
  EXPECT_EQ(point_of(ops, "aten::mm").total_flop().count, 60);
  EXPECT_NEAR(point_of(ops, "aten::mm").time.count(), 4e-6, 1e-12);
  EXPECT_EQ(ops.unmodelled.front().name, "(launched by no op)");
  const auto launches = shape_launches(made.recording, {.per = PointsPer::Kernel});
  EXPECT_THAT(launches.kernels, ::testing::ElementsAre("gemm", "splitk", "stray"));
  ASSERT_EQ(launches.points.size(), 3U);
  EXPECT_EQ(launches.points[1].label, "splitk");
  EXPECT_EQ(launches.points[1].total_flop().count, 15);
  const auto by_op = shape_launches(made.recording, {.per = PointsPer::Op});
  EXPECT_EQ(by_op.kernels, launches.kernels);
  EXPECT_EQ(by_op.points[1].label, "aten::mm");
}

TEST(ShapePointsTest, LaunchesStandInTheOrderTheyWereMadeNotTheOneTheyStartedIn) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 500);
  made.kernel("second stream", mm, 100);
  made.kernel("first stream", mm, 100);
  made.recording.device[0].launch = 20;
  made.recording.device[1].launch = 10;
  const auto launches = shape_launches(made.recording, {.per = PointsPer::Kernel});
  EXPECT_THAT(launches.kernels, ::testing::ElementsAre("first stream", "second stream"));
}

TEST(ShapePointsTest, ASetBesideAKernelMovesItsBytesAndComputesNothing) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 500);
  made.kernel("gemm", mm, 3'000);
  made.kernel("Memset", mm, 1'000);
  made.recording.device.back().kind = DeviceRecordKind::Set;
  made.recording.device.back().bytes = 512;
  const auto launches = shape_launches(made.recording, {.per = PointsPer::Op});
  ASSERT_EQ(launches.points.size(), 1U);
  EXPECT_EQ(launches.points[0].total_flop().count, 60);
  ASSERT_EQ(launches.others.size(), 1U);
  EXPECT_EQ(launches.others[0].total_flop().count, 0);
  EXPECT_EQ(launches.others[0].of(MemoryLevel::Dram)->count, 512);
}

TEST(ShapePointsTest, KernelsWithoutADeviceAndBrokenRecordingsAreRefused) {
  const auto refusal = [](const Recording& recording, PointsPer per) {
    try {
      (void)shape_points(recording, {.per = per});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(refusal(host_step().recording, PointsPer::Kernel), HasSubstr("--per op"));
  EXPECT_THAT(refusal({}, PointsPer::Op), HasSubstr("no step"));
  Recording cut = host_step().recording;
  cut.gaps.ops_beyond_limit = 1;
  EXPECT_THAT(refusal(cut, PointsPer::Op), HasSubstr("fewer steps"));
}

TEST(ShapePointsTest, AnUnknownWordIsRefusedWithTheNearest) {
  EXPECT_EQ(parse_points_per("module"), PointsPer::Module);
  EXPECT_EQ(parse_points_per("step"), PointsPer::Step);
  EXPECT_THROW((void)parse_points_per("modul"), Error);
}

TEST(ShapePointsTest, KernelsTellHowWellTheyFilledTheDevice) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 1'000);
  made.kernel("gemm", mm, 30'000);
  made.kernel("split", mm, 10'000);
  // 256 threads of 32 registers: 8 blocks on each of 132 multiprocessors.
  const auto launch = [&](std::size_t i, std::uint32_t blocks) {
    DeviceRecord& work = made.recording.device[i];
    work.grid[0] = blocks;
    work.block[0] = 256;
    work.grid[1] = work.grid[2] = work.block[1] = work.block[2] = 1;
    work.registers = 32;
  };
  launch(0, 132 * 8 * 2);
  launch(1, 132);
  ShapePointOptions options{
      .gpu = GpuShape{.compute_major = 9, .compute_minor = 0, .multiprocessors = 132}};
  const ShapePoints ops = shape_points(made.recording, options);
  const RooflinePoint& op = point_of(ops, "aten::mm");
  EXPECT_NEAR(op.waves.value(), (30 * 2 + 10 * 0.125) / 40, 1e-9);
  EXPECT_NEAR(op.occupancy_percent.value(), (30 * 100 + 10 * 12.5) / 40, 1e-9);
  options.per = PointsPer::Kernel;
  const ShapePoints kernels = shape_points(made.recording, options);
  EXPECT_NEAR(point_of(kernels, "split").waves.value(), 0.125, 1e-9);
  EXPECT_NEAR(shape_launches(made.recording, options).points[0].waves.value(), 2, 1e-9);
  options.gpu.reset();
  const ShapePoints blind = shape_points(made.recording, options);
  EXPECT_FALSE(point_of(blind, "split").waves);
}

}  // namespace
}  // namespace ridgeline
