#include "profile/recorder.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

const char kKeys[2] = {};

TEST(RecorderTest, TheLimitOfTheTraceIsSharedBetweenOpsAndAllocations) {
  const RecorderLimits ops_alone = limits_for(1.4e6, /*with_memory=*/false);
  const RecorderLimits both = limits_for(1.4e6, /*with_memory=*/true);
  EXPECT_EQ(ops_alone.memory, 0);
  EXPECT_EQ(ops_alone.ops, 4000);
  EXPECT_LT(both.ops, ops_alone.ops);
  EXPECT_GT(both.memory, 0);
  EXPECT_LE(limits_for(1e18, false).ops, 50'000'000);
}

TEST(RecorderTest, WhatIsOpenAtTheEndIsClosedThere) {
  Recorder recorder({.ops = 10, .memory = 10});
  ThreadRecorder& thread = recorder.join({.system_id = 1});
  thread.enter({.name = "open", .key = &kKeys[0], .time = 100});
  const Recording recording = recorder.finish(150, &thread);
  ASSERT_EQ(recording.ops.size(), 1);
  EXPECT_EQ(recording.ops[0].end, 150);
  EXPECT_EQ(recording.gaps.unfinished, 1);
}

// Its frames belong to the thread that is in them: closing them from here would race with it.
TEST(RecorderTest, FramesThatAnotherThreadHasOpenAreLeftToIt) {
  Recorder recorder({.ops = 10, .memory = 10});
  ThreadRecorder& own = recorder.join({.system_id = 1});
  ThreadRecorder& other = recorder.join({.system_id = 2});
  own.enter({.name = "mine", .key = &kKeys[0], .time = 100});
  own.leave(&kKeys[0], 110);
  other.enter({.name = "theirs", .key = &kKeys[1], .time = 105});
  const Recording recording = recorder.finish(150, &own);
  ASSERT_EQ(recording.ops.size(), 1);
  EXPECT_EQ(recording.name(recording.ops[0].name), "mine");
  EXPECT_EQ(recording.threads.size(), 2);
  EXPECT_EQ(recording.gaps.unfinished, 1);
  EXPECT_EQ(other.depth(), 1);
  other.leave(&kKeys[1], 200);
  EXPECT_EQ(other.depth(), 0);
}

// Room is taken as a frame begins and filled as it ends.
TEST(RecorderTest, AFrameThatHasNotEndedHasNoRecord) {
  Recorder recorder({.ops = 10, .memory = 10});
  ThreadRecorder& thread = recorder.join({.system_id = 1});
  thread.enter({.name = "open", .key = &kKeys[0], .time = 100});
  thread.enter({.name = "ended", .key = &kKeys[1], .time = 110});
  thread.leave(&kKeys[1], 120);
  Recording recording;
  thread.collect(recording);
  thread.leave(&kKeys[0], 130);
  ASSERT_EQ(recording.ops.size(), 1);
  EXPECT_EQ(recording.ops[0].start, 110);
}

}  // namespace
}  // namespace ridgeline
