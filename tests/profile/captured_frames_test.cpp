#include "profile/captured_frames.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

OpRecord frame(std::uint32_t id, NameId name) {
  return {.start = 5, .end = 9, .name = name, .id = id};
}

TEST(CapturedFramesTest, AnEmptyStackIsNoFrame) {
  CapturedFrames frames;
  EXPECT_EQ(frames.keep({}), 0);
  EXPECT_TRUE(frames.all().empty());
}

TEST(CapturedFramesTest, AStackIsKeptOutermostFirstWithoutTimes) {
  CapturedFrames frames;
  const OpRecord open[]{frame(7, 1), frame(9, 2)};
  EXPECT_EQ(frames.keep(open), 2);
  const auto all = frames.all();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].parent, 0);
  EXPECT_EQ(all[1].parent, 1);
  EXPECT_EQ(all[1].id, 2);
  EXPECT_EQ(all[1].name, 2);
  EXPECT_EQ(all[1].start, 0);
  EXPECT_EQ(all[1].end, 0);
}

TEST(CapturedFramesTest, TwoKernelsOfOneCallShareItsFrameAndTwoCallsDoNot) {
  CapturedFrames frames;
  const OpRecord first[]{frame(7, 1), frame(9, 2)};
  const OpRecord second[]{frame(7, 1), frame(11, 2)};
  EXPECT_EQ(frames.keep(first), 2);
  EXPECT_EQ(frames.keep(first), 2);
  EXPECT_EQ(frames.keep(second), 3);
  EXPECT_EQ(frames.all().size(), 3);
}

TEST(CapturedFramesTest, IdsThatBeginAnewAreOtherCalls) {
  CapturedFrames frames;
  const OpRecord open[]{frame(7, 1)};
  EXPECT_EQ(frames.keep(open), 1);
  frames.forget_ids();
  EXPECT_EQ(frames.keep(open), 2);
}

TEST(CapturedFramesTest, CallsWithoutIdsAreToldByTheirNamesAndWhenTheyBegan) {
  CapturedFrames frames;
  OpRecord later = frame(0, 1);
  later.start = 6;
  const OpRecord first[]{frame(0, 1)};
  const OpRecord other[]{frame(0, 2)};
  const OpRecord again[]{later};
  EXPECT_EQ(frames.keep(first), 1);
  EXPECT_EQ(frames.keep(first), 1);
  EXPECT_EQ(frames.keep(other), 2);
  EXPECT_EQ(frames.keep(again), 3);
}

}  // namespace
}  // namespace ridgeline
