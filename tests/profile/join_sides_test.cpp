#include "profile/join_sides.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

constexpr NameId kAdd = 2;
constexpr NameId kMultiply = 3;

OpRecord op(Nanoseconds start, NameId name, std::uint32_t id) {
  return {.start = start, .end = start + 1, .name = name, .id = id};
}

// Ops of one step from `start` on, ids from `id` on, each launching once.
Recording step_of(std::initializer_list<NameId> names, Nanoseconds start, std::uint32_t id) {
  Recording recording{.steps = {{.start = start, .end = start + 100}}};
  for (const NameId name : names) {
    recording.ops.push_back(op(start += 2, name, id));
    ++id;
  }
  return recording;
}

ObservedWork launches_in(const Recording& recording) {
  ObservedWork work;
  for (const OpRecord& made : recording.ops)
    work.launches.push_back(
        {.start = made.start, .what = made.name, .correlation = made.id, .frame = made.id});
  return work;
}

ObservedWork work_of(std::initializer_list<NameId> kernels, Nanoseconds start) {
  ObservedWork work;
  std::uint32_t correlation = 100;
  for (const NameId kernel : kernels) {
    work.launches.push_back({.start = start += 2, .what = kernel, .correlation = ++correlation});
    work.records.push_back({.start = start + 1, .end = start + 2, .correlation = correlation});
  }
  return work;
}

std::vector<std::uint32_t> owners(const ObservedWork& work) {
  std::vector<std::uint32_t> ids;
  for (const DeviceRecord& record : work.records) ids.push_back(record.external_id);
  return ids;
}

class JoinSidesTest : public ::testing::Test {
 protected:
  const Recording learnt_ = step_of({kAdd, kMultiply, kAdd}, 0, 1);
  const StepCalls calls_ = calls_of_step(learnt_, launches_in(learnt_));
  const std::vector<RecordedStep> device_steps_{{.start = 900, .end = 999}};
};

TEST_F(JoinSidesTest, AStepsCallsAreThoseOfItsLastRecordedStep) {
  Recording two = learnt_;
  two.steps.push_back({.start = 200, .end = 300});
  two.ops.push_back(op(210, kMultiply, 7));
  const StepCalls calls = calls_of_step(two, launches_in(two));
  EXPECT_EQ(calls.frames, std::vector<NameId>{kMultiply});
  EXPECT_EQ(calls.launches, (std::vector<StepCalls::Call>{{.what = kMultiply, .frame = 0}}));
  EXPECT_TRUE(calls_of_step({}, {}).frames.empty());
}

TEST_F(JoinSidesTest, EachLaunchFindsTheFrameOfItsPlace) {
  const Recording recording = step_of({kAdd, kMultiply, kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd, kMultiply, kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls_), 0);
  EXPECT_EQ(owners(work), (std::vector<std::uint32_t>{41, 42, 43}));
}

TEST_F(JoinSidesTest, CallsOfSeveralThreadsAreTakenAsTheyCame) {
  const Recording recording = step_of({kAdd, kMultiply, kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd, kMultiply, kAdd}, 900);
  std::swap(work.launches[0], work.launches[2]);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls_), 0);
  EXPECT_EQ(owners(work), (std::vector<std::uint32_t>{41, 42, 43}));
}

TEST_F(JoinSidesTest, FromTheFirstOtherOpOnNothingIsJoined) {
  const Recording recording = step_of({kAdd, kAdd, kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd, kMultiply, kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls_), 2);
  EXPECT_EQ(owners(work), (std::vector<std::uint32_t>{41, 0, 0}));
}

TEST_F(JoinSidesTest, FromTheFirstOtherLaunchOnNothingIsJoined) {
  const Recording recording = step_of({kAdd, kMultiply, kAdd}, 500, 41);
  ObservedWork work = work_of({kMultiply, kAdd, kAdd, kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls_), 4);
  EXPECT_EQ(owners(work), (std::vector<std::uint32_t>(4, 0)));
}

TEST_F(JoinSidesTest, AStepThatBreaksOffIsJoinedUpToThere) {
  const Recording recording = step_of({kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls_), 0);
  EXPECT_EQ(owners(work), std::vector<std::uint32_t>{41});
}

TEST_F(JoinSidesTest, WorkThatNoFrameAskedForBelongsToNone) {
  ObservedWork learnt = launches_in(learnt_);
  learnt.launches[1].frame = 0;
  const StepCalls calls = calls_of_step(learnt_, learnt);
  const Recording recording = step_of({kAdd, kMultiply, kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd, kMultiply, kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls), 0) << "it is as it was learnt";
  EXPECT_EQ(owners(work), (std::vector<std::uint32_t>{41, 0, 43}));
}

TEST_F(JoinSidesTest, StepsAreTheSameThoughTheirNumbersDiffer) {
  Recording learnt{.steps = {{.start = 0, .end = 100}}, .ops = {op(0, 8, 1), op(1, kAdd, 2)}};
  learnt.ops.front().kind = FrameKind::Step;
  const StepCalls calls =
      calls_of_step(learnt, {.launches = {{.start = 1, .what = kAdd, .frame = 2}}});
  Recording recording{.steps = {{.start = 500, .end = 600}},
                      .ops = {op(500, 9, 41), op(501, kAdd, 42)}};
  recording.ops.front().kind = FrameKind::Step;
  ObservedWork work = work_of({kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, calls), 0);
  EXPECT_EQ(owners(work), std::vector<std::uint32_t>{42});
}

TEST_F(JoinSidesTest, NothingLearntJoinsNothing) {
  const Recording recording = step_of({kAdd}, 500, 41);
  ObservedWork work = work_of({kAdd}, 900);
  EXPECT_EQ(join_sides(work, recording, device_steps_, {}), 1);
  EXPECT_EQ(owners(work), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace ridgeline
