#include "profile/whole_steps.h"

#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::ridgeline::testing::sample_recording;
using ::ridgeline::testing::WithDevice;

using Key = std::tuple<NameId, NameId, NameId, FrameKind, StepPhase>;
using Values = std::tuple<std::uint64_t, Nanoseconds, Nanoseconds, bool>;

std::map<Key, Values> by_key(const Recording& recording) {
  std::map<Key, Values> totals;
  for (const OpTotal& total : recording.totals)
    totals[{total.name, total.shape, total.module, total.kind, total.phase}] = {
        total.calls, total.self, total.total, total.beside};
  return totals;
}

TEST(WholeStepsTest, TotalsAddedUpAnewAreThoseOfTheRecorder) {
  const Recording recording = sample_recording(WithDevice::No);
  const Recording again = whole_steps(recording, recording.steps.back().end);
  EXPECT_EQ(by_key(again), by_key(recording));
  EXPECT_EQ(again.steps.size(), 2);
  EXPECT_EQ(again.ops.size(), recording.ops.size());
}

TEST(WholeStepsTest, WhatBeganAfterTheEndIsGoneFromAllOfIt) {
  const Recording recording = sample_recording(WithDevice::Yes);
  const Nanoseconds end = recording.steps.back().start;
  const Recording whole = whole_steps(recording, end);
  ASSERT_EQ(whole.steps.size(), 1);
  EXPECT_EQ(whole.steps[0].number, 0);
  EXPECT_EQ(2 * whole.ops.size(), recording.ops.size());
  EXPECT_EQ(2 * whole.memory.size(), recording.memory.size());
  EXPECT_LT(whole.device.size(), recording.device.size());
  Nanoseconds self = 0;
  for (const OpTotal& total : whole.totals) self += total.self;
  EXPECT_EQ(self, whole.steps[0].end - whole.steps[0].start);
}

TEST(WholeStepsTest, NothingIsDroppedWhereRecordsAreMissing) {
  Recording recording = sample_recording(WithDevice::No);
  recording.gaps.ops_beyond_limit = 1;
  const Recording same = whole_steps(recording, recording.steps.back().start);
  EXPECT_EQ(same.steps.size(), 2);
  EXPECT_EQ(by_key(same), by_key(recording));
}

TEST(WholeStepsTest, AnEndBeforeEverythingLeavesAnEmptyRecording) {
  const Recording nothing = whole_steps(sample_recording(WithDevice::Yes), 0);
  EXPECT_TRUE(nothing.steps.empty() && nothing.ops.empty() && nothing.totals.empty());
}

}  // namespace
}  // namespace ridgeline
