#include "profile/memory_timeline.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "profile/made_memory.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

using testing::MadeMemory;

// A training step of a model with 1000 bytes of parameters on the host.
Recording training(int steps) {
  MadeMemory made;
  for (int i = 0; i < steps; ++i) {
    made.step().name(1, 1000, MemoryKind::Parameter).name(2, 2000, MemoryKind::OptimizerState);
    made.name(3, 64, MemoryKind::Input);
    made.phase(StepPhase::Forward).allocate(10, 300).allocate(11, 5).release(11, 5);
    made.phase(StepPhase::Backward).allocate(12, 1000).allocate(13, 400).release(13, 400);
    made.name(12, 1000, MemoryKind::Gradient).release(10, 300);
    made.phase(StepPhase::Optimizer).release(12, 1000).phase(StepPhase::None);
  }
  return made.finish();
}

TEST(MemoryTimelineTest, TheHeightIsWhatWasNamedAndWhatWasRecorded) {
  const auto timeline = memory_timeline(training(1));
  ASSERT_TRUE(timeline);
  const MemoryCurve& curve = timeline->main;
  EXPECT_FALSE(curve.on_device);
  EXPECT_EQ(curve.first, 3064);
  EXPECT_EQ(curve.peak.level.total(), 3064 + 300 + 1000 + 400);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Parameter), 1000);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::OptimizerState), 2000);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Input), 64);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Gradient), 1000);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Activation), 300);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Temporary), 400);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Other), 0);
  EXPECT_EQ(curve.levels.back().total(), 3064) << "all that the step took is back";
}

TEST(MemoryTimelineTest, ThePeakKnowsWhenAndWhere) {
  const MemoryPeak peak = memory_timeline(training(2))->main.peak;
  EXPECT_EQ(peak.step, 2) << "of equal peaks the first";
  EXPECT_EQ(peak.phase, StepPhase::Backward);
  EXPECT_EQ(peak.module, "layers.0");
  EXPECT_EQ(peak.op, "aten::empty");
}

TEST(MemoryTimelineTest, HighestBlocksAndAllocationsAreCounted) {
  const MemoryCurve curve = memory_timeline(training(2))->main;
  EXPECT_EQ(curve.allocations, 8);
  EXPECT_EQ(curve.small_allocations, 8);
  EXPECT_EQ(curve.allocated, 2 * (300 + 5 + 1000 + 400));
  EXPECT_EQ(curve.blocks[static_cast<std::size_t>(MemoryKind::Parameter)], 1);
  EXPECT_EQ(curve.blocks[static_cast<std::size_t>(MemoryKind::Temporary)], 4);
  EXPECT_EQ(curve.highest[static_cast<std::size_t>(MemoryKind::Gradient)], 1000);
}

TEST(MemoryTimelineTest, OnADeviceTheHeightIsTheAllocatorsAndTheUnnamedIsOther) {
  MadeMemory made;
  made.on_device(5000).step().name(1, 1000, MemoryKind::Parameter);
  made.phase(StepPhase::Forward).allocate(10, 512);
  made.phase(StepPhase::Backward).release(10, 512);
  const auto timeline = memory_timeline(made.finish());
  const MemoryCurve& curve = timeline->main;
  EXPECT_TRUE(curve.on_device);
  EXPECT_EQ(curve.first, 5000);
  EXPECT_EQ(curve.peak.level.total(), 5512);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Other), 4000);
  EXPECT_EQ(curve.peak.level.of(MemoryKind::Activation), 512);
  ASSERT_TRUE(timeline->host);
  EXPECT_EQ(timeline->host->peak.level.total(), 0);
}

TEST(MemoryTimelineTest, ADevicesRoundingIsOtherAndNeverBelowZero) {
  MadeMemory made;
  made.on_device(1024).step().name(1, 1000, MemoryKind::Parameter).release(1, 1024);
  made.allocate(2, 512).release(2, 512);
  const MemoryCurve curve = memory_timeline(made.finish())->main;
  EXPECT_EQ(curve.first, 1024);
  EXPECT_EQ(curve.levels.front().of(MemoryKind::Other), 24);
  EXPECT_EQ(curve.levels.back().total(), 0);
}

TEST(MemoryTimelineTest, WithoutRecordsThereIsNone) { EXPECT_FALSE(memory_timeline({})); }

// However long, the points are few, in order, and the highest and lowest are among them.
TEST(MemoryTimelineTest, LongRecordingsAreThinnedAndKeepTheirExtremes) {
  MadeMemory made;
  made.step().name(1, 1000, MemoryKind::Parameter).phase(StepPhase::Forward);
  Random random(7, 0);
  std::int64_t highest = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto bytes = static_cast<std::int64_t>(1 + random.below(100'000));
    highest = std::max(highest, bytes);
    made.allocate(100 + i, bytes).release(100 + i, bytes);
  }
  const MemoryCurve curve = memory_timeline(made.finish())->main;
  EXPECT_LE(curve.levels.size(), kMostLevels);
  EXPECT_GT(curve.levels.size(), kMostLevels / 3);
  EXPECT_TRUE(std::ranges::is_sorted(curve.levels, {}, &MemoryMoment::time));
  const auto [low, high] = std::ranges::minmax(curve.levels, {}, &MemoryMoment::total);
  EXPECT_EQ(high.total(), 1000 + highest);
  EXPECT_EQ(low.total(), 1000);
  EXPECT_EQ(curve.peak.level.total(), 1000 + highest);
}

TEST(MemoryTimelineTest, WhereRecordsAreLostTheCurveEnds) {
  MadeMemory made;
  made.step().name(1, 1000, MemoryKind::Parameter);
  made.phase(StepPhase::Forward).allocate(10, 300);
  const Nanoseconds lost = made.now() + 1;
  made.allocate(11, 5000).release(11, 5000);  // by a thread that had room left
  Recording recording = made.finish();
  recording.gaps.lose_memory(2, lost);
  const auto timeline = memory_timeline(recording);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->lost, 2U);
  EXPECT_EQ(timeline->lost_from, lost);
  EXPECT_EQ(timeline->main.levels.back().time, lost);
  for (const MemoryMoment& level : timeline->main.levels) EXPECT_LE(level.total(), 1300);
}

}  // namespace
}  // namespace ridgeline
