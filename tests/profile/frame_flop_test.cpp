#include "profile/frame_flop.h"

#include <gtest/gtest.h>

#include "profile/made_ops.h"

namespace ridgeline {
namespace {

using ridgeline::testing::kSmallLinear;
using ridgeline::testing::kSmallMm;
using ridgeline::testing::MadeOps;

double sum_of(const FlopCount& count) {
  double sum = 0;
  for (const FrameFlop& done : count.frames) sum += done.flop.count;
  return sum;
}

TEST(FrameFlopTest, WorkThatIsHandedOnCountsOnceAndWhereItIsDone) {
  MadeOps made;
  const auto linear = made.frame("aten::linear", kSmallLinear, 1, 100);
  const auto mm = made.frame("aten::mm", kSmallMm, linear, 900);
  const FlopCount count = count_flop(made.recording);
  EXPECT_EQ(count.lack, FlopLack::None);
  ASSERT_EQ(count.frames.size(), 1U);
  EXPECT_EQ(count.frames[0].frame->id, mm);
  EXPECT_EQ(count.frames[0].flop.count, 60);
  EXPECT_EQ(count.frames[0].time, 900);
}

TEST(FrameFlopTest, AnOpInsideThatIsAPartOfTheWorkGivesItsTime) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 100);
  made.frame("mkl::secret", "", mm, 700);
  made.frame("aten::empty", "[[]]\n[\"\"]", mm, 50);
  EXPECT_EQ(count_flop(made.recording).frames.at(0).time, 800);
}

TEST(FrameFlopTest, OnADeviceOnlyItsOwnTimeAndWorkCount) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 9'000);
  made.frame("aten::mm", kSmallMm, 1, 9'000);  // launched nothing
  made.kernel("gemm", mm, 300);
  const FlopCount count = count_flop(made.recording);
  EXPECT_EQ(sum_of(count), 60);
  EXPECT_EQ(count.frames.at(0).time, 300);
}

TEST(FrameFlopTest, AnOptimizerOnADeviceCountsAsItsCountersWould) {
  constexpr const char* kSgd =
      "[[],[],[]]\n[\"TensorList\",\"TensorList\",\"TensorList\"]\n[[10,40],[10,40],[10,40]]";
  MadeOps host;
  host.frame("aten::_fused_sgd_", kSgd, 1, 100);
  EXPECT_EQ(sum_of(count_flop(host.recording)), 60);
  MadeOps device;
  device.kernel("sgd", device.frame("aten::_fused_sgd_", kSgd, 1, 100), 300);
  EXPECT_EQ(sum_of(count_flop(device.recording)), 90);
  host.recording.device_unseen = true;
  EXPECT_EQ(sum_of(count_flop(host.recording)), 90);
}

TEST(FrameFlopTest, BesideADeviceThatNobodyWatchedTimesSayNothing) {
  MadeOps made;
  made.frame("aten::mm", kSmallMm, 1, 9'000);
  made.recording.device_unseen = true;
  const FlopCount count = count_flop(made.recording);
  EXPECT_EQ(sum_of(count), 60);
  EXPECT_EQ(count.frames.at(0).time, 0);
}

TEST(FrameFlopTest, WithoutShapesOrWithRecordsMissingNothingIsCounted) {
  MadeOps bare;
  bare.frame("aten::mm", "", 1, 100);
  EXPECT_EQ(count_flop(bare.recording).lack, FlopLack::Shapes);
  MadeOps cut;
  cut.frame("aten::mm", kSmallMm, 1, 100);
  cut.recording.gaps.ops_beyond_limit = 1;
  EXPECT_EQ(count_flop(cut.recording).lack, FlopLack::Records);
  EXPECT_TRUE(count_flop(cut.recording).frames.empty());
}

}  // namespace
}  // namespace ridgeline
