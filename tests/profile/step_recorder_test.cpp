#include "profile/step_recorder.h"

#include <gtest/gtest.h>

#include "profile/logged_observer.h"

namespace ridgeline {
namespace {

using ::ridgeline::testing::Log;
using ::ridgeline::testing::LoggedObserver;

const StepSchedule kSchedule{.wait = 1, .warmup = 1, .active = 2, .repeat = 1};

struct Scene {
  explicit Scene(int cost_pairs, const StepSchedule& schedule = kSchedule)
      : steps(observer, schedule, cost_pairs, [this] { return now; }) {}
  // As Profile::step() does: the last step ends, the next begins. A watched step takes a tenth
  // more.
  void mark() {
    steps.begin();
    log.letters += 's';
    now += log.letters.ends_with("(s") ? 1100 : 1000;
  }
  Log log;
  LoggedObserver observer{log};
  Nanoseconds now = 0;
  StepRecorder steps;
};

TEST(StepRecorderTest, StepsLieBetweenTwoCallsAndFollowTheSchedule) {
  Scene scene(/*cost_pairs=*/0);
  for (int i = 0; i < 4; ++i) scene.mark();
  EXPECT_FALSE(scene.steps.done());
  scene.mark();
  EXPECT_TRUE(scene.steps.done());
  scene.mark();
  EXPECT_EQ(scene.log.letters, "s<s>(s)(s)Fss");
  const ProfileResult result = scene.steps.finish();
  ASSERT_EQ(result.recording.steps.size(), 2);
  EXPECT_EQ(result.recording.steps[0].number, 2);
  EXPECT_FALSE(result.cost);
}

TEST(StepRecorderTest, AStepThatIsCutOffByTheEndDoesNotCount) {
  Scene scene(0);
  for (int i = 0; i < 4; ++i) scene.mark();
  const ProfileResult result = scene.steps.finish();
  EXPECT_EQ(scene.log.letters, "s<s>(s)(s)F");
  ASSERT_EQ(result.recording.steps.size(), 1);
  EXPECT_EQ(result.recording.steps[0].number, 2);
}

TEST(StepRecorderTest, AnEndInAnotherCyclesWaitKeepsEveryRecordedStep) {
  Scene scene(0, {.wait = 1, .warmup = 0, .active = 1, .repeat = 2});
  for (int i = 0; i < 3; ++i) scene.mark();
  EXPECT_EQ(scene.steps.finish().recording.steps.size(), 1);
}

TEST(StepRecorderTest, AStepThatWasEndedCounts) {
  Scene scene(0, {.wait = 0, .warmup = 0, .active = 2, .repeat = 1});
  scene.mark();
  scene.steps.end();
  scene.now += 5000;  // belongs to no step
  const ProfileResult result = scene.steps.finish();
  EXPECT_EQ(result.recording.steps.size(), 1);
}

TEST(StepRecorderTest, PairsOfLaterStepsTellTheCost) {
  Scene scene(8);
  for (int i = 0; i < 4 + 16 + 1; ++i) scene.mark();
  EXPECT_TRUE(scene.steps.done());
  const ProfileResult result = scene.steps.finish();
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 8);
  EXPECT_EQ(result.cost->without.size(), 8);
  EXPECT_NEAR(result.cost->ratio, 1.1, 1e-9);
  EXPECT_TRUE(result.cost->interval);
  EXPECT_EQ(result.recording.steps.size(), 2);
}

TEST(StepRecorderTest, WhoIsOnlyPausedBesideTheOtherStepsIsSaid) {
  for (const bool away : {true, false}) {
    Scene scene(/*cost_pairs=*/2);
    scene.observer.away = away;
    for (int i = 0; i < 9; ++i) scene.mark();
    const ProfileResult result = scene.steps.finish();
    ASSERT_TRUE(result.cost);
    EXPECT_EQ(result.cost->beside_paused, !away);
  }
}

TEST(StepRecorderTest, APairThatLacksOneStepIsLeftOut) {
  Scene scene(8);
  for (int i = 0; i < 4 + 3 + 1; ++i) scene.mark();
  EXPECT_FALSE(scene.steps.done());
  const ProfileResult result = scene.steps.finish();
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 1);
  EXPECT_EQ(result.cost->without.size(), 1);
  EXPECT_EQ(result.recording.steps.size(), 2);
}

TEST(StepRecorderTest, NoStepAtAllIsAnEmptyRecording) {
  Scene scene(8);
  EXPECT_TRUE(scene.steps.finish().recording.steps.empty());
}

}  // namespace
}  // namespace ridgeline
