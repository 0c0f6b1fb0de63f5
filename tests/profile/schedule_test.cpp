#include "profile/schedule.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

std::string actions(const StepSchedule& schedule) {
  std::string letters;
  for (std::int64_t step = 0; step < step_count(schedule); ++step)
    letters += "-wR"[static_cast<std::size_t>(action_at(schedule, step))];
  return letters;
}

TEST(ScheduleTest, StepsAreWaitedForWarmedUpAndRecordedInTurn) {
  EXPECT_EQ(actions({.wait = 2, .warmup = 1, .active = 3, .repeat = 1}), "--wRRR");
  EXPECT_EQ(actions({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}), "-wRR-wRR");
  EXPECT_EQ(actions({.wait = 0, .warmup = 0, .active = 1, .repeat = 1}), "R");
}

TEST(ScheduleTest, AfterTheLastCycleNothingIsRecorded) {
  EXPECT_EQ(action_at({.wait = 0, .warmup = 0, .active = 1, .repeat = 1}, 1), StepAction::Wait);
}

TEST(ScheduleTest, LargeNumbersDoNotOverflow) {
  const int most = 2'000'000'000;
  EXPECT_EQ(step_count({.wait = most, .warmup = most, .active = most, .repeat = 3}), 9LL * most);
}

}  // namespace
}  // namespace ridgeline
