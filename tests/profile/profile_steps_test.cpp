#include "profile/profile_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/logged_observer.h"

namespace ridgeline {
namespace {

using ::ridgeline::testing::Log;
using ::ridgeline::testing::LoggedObserver;
using ::testing::HasSubstr;

// Adds an s for each step to the observer's log.
class LoggedWorkload final : public Workload {
 public:
  LoggedWorkload(Log& log, int fails_at) : log_(log), fails_at_(fails_at) {}
  StepTimes step() override {
    log_.letters += 's';
    if (++steps_ == fails_at_) throw Error(Fault::Memory, "no room");
    return {.total = Seconds{seconds * (log_.letters.ends_with("(s") ? watched() : 1.0)}};
  }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  void reset_peak_memory() override {}
  void activate() override {}
  void grow_memory(Bytes) override {}
  void keep_state() override {}
  void restore_state() override {}
  double seconds = 1;
  // What a step becomes when it is watched.
  std::function<double()> watched = [] { return 1.1; };

 private:
  Log& log_;
  int fails_at_;
  int steps_ = 0;
};

struct Scene {
  explicit Scene(int fails_at = -1) : workload(log, fails_at) {}
  Log log;
  LoggedWorkload workload;
  LoggedObserver observer{log};
};

const StepSchedule kSchedule{.wait = 1, .warmup = 1, .active = 2, .repeat = 1};

TEST(ProfileStepsTest, OnlyActiveStepsAreKeptAndWarmUpIsThrownAway) {
  Scene scene;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 0}, {});
  EXPECT_EQ(scene.log.letters, "s<s>(s)(s)F");
  EXPECT_EQ(result.recording.steps.size(), 2);
  EXPECT_FALSE(result.cost || result.failure || result.interrupted);
}

TEST(ProfileStepsTest, AStepThatThrowsEndsItsFrameAndKeepsWhatWasRecorded) {
  Scene scene(/*fails_at=*/4);
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6}, {});
  EXPECT_EQ(scene.log.letters, "s<s>(s)(s)F");
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->fault, Fault::Memory);
  EXPECT_EQ(result.failure->message, "no room");
  EXPECT_EQ(result.recording.steps.size(), 2);
}

TEST(ProfileStepsTest, AnInterruptKeepsWhatWasRecordedAndMeasuresNoCost) {
  Scene scene;
  int asked = 0;
  const ProfileResult result = profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6},
                                             {.interrupted = [&] { return ++asked > 3; }});
  EXPECT_EQ(scene.log.letters, "s<s>(s)F");
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.cost);
}

TEST(ProfileStepsTest, OnceAllIsRecordedAndBeforeTheCostItIsSaid) {
  for (const int fails_at : {-1, 3}) {
    Scene scene(fails_at);
    const ProfileResult result =
        profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6},
                      {.recorded = [&] { scene.log.letters += '!'; }});
    EXPECT_THAT(scene.log.letters, HasSubstr("F!"));
    EXPECT_EQ(std::ranges::count(scene.log.letters, '!'), 1);
    EXPECT_EQ(result.failure.has_value(), fails_at > 0);
  }
}

TEST(ProfileStepsTest, WhoeverFailsAfterTheRecordingDoesNotLoseIt) {
  Scene scene;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6},
                    {.recorded = [] { throw Error(Fault::Device, "no snapshot"); }});
  EXPECT_EQ(result.recording.steps.size(), 2);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->message, "no snapshot");
  EXPECT_FALSE(result.cost);
}

TEST(ProfileStepsTest, TheCostIsThatOfPairsInTurnWithARecordResetBeforeEach) {
  Scene scene;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8}, {});
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 8);
  EXPECT_EQ(result.cost->without.size(), 8);
  EXPECT_NEAR(result.cost->ratio, 1.1, 1e-9);
  ASSERT_TRUE(result.cost->interval);
  EXPECT_NEAR(result.cost->interval->low, 1.1, 1e-9);
  const std::string pairs = scene.log.letters.substr(scene.log.letters.find('F') + 1);
  EXPECT_EQ(std::ranges::count(pairs, 'R'), 8);
  EXPECT_THAT(pairs, HasSubstr("R(s)Ws"));
  EXPECT_THAT(pairs, HasSubstr("WsR(s)"));
  EXPECT_THAT(pairs, ::testing::EndsWith("W")) << "the steps after it are nobody's";
  EXPECT_EQ(result.recording.steps.size(), 2);
}

TEST(ProfileStepsTest, WhoCannotGoAwayIsSaidToHaveBeenPaused) {
  for (const bool away : {true, false}) {
    Scene scene;
    scene.observer.away = away;
    const ProfileResult result =
        profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8}, {});
    ASSERT_TRUE(result.cost);
    EXPECT_EQ(result.cost->beside_paused, !away);
    EXPECT_EQ(sentence(*result.cost).find("paused") == std::string::npos, away);
  }
}

TEST(ProfileStepsTest, WhatAStepTookBeforeTheObserverCameIsTheOtherMeasure) {
  Scene scene;
  scene.observer.away = false;
  const ProfileResult result = profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8},
                                             {.step_before = Seconds{0.88}});
  EXPECT_THAT(
      sentence(*result.cost),
      HasSubstr("before it came at all a step took 880.00 ms, over which the cost is 1.250x"));
}

TEST(ProfileStepsTest, TheDriverIsAskedOnlyOfStepsWithoutTheProfiler) {
  Scene scene;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 2},
                    {.gpu = [] { return std::optional(GpuState{.gpu_busy_percent = 50}); }});
  ASSERT_TRUE(result.utilisation);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.utilisation->gpu_percent, std::nullopt) << "hardly a second";
  EXPECT_FALSE(result.utilisation->why_absent.empty());
  EXPECT_THAT(scene.log.letters, ::testing::EndsWith("sss"));
}

TEST(ProfileStepsTest, WithoutMeasuringTheCostTheDriverIsNotAsked) {
  Scene scene;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 0},
                    {.gpu = [] { return std::optional(GpuState{.gpu_busy_percent = 50}); }});
  EXPECT_FALSE(result.utilisation);
}

TEST(ProfileStepsTest, AShortStepFollowsOneOfItsKindThatIsNotCounted) {
  Scene scene;
  scene.workload.seconds = 0.05;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8}, {});
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 8);
  const std::string pairs = scene.log.letters.substr(scene.log.letters.find('F') + 1);
  EXPECT_THAT(pairs, HasSubstr("R<s>(s)Wss"));
  EXPECT_THAT(pairs, HasSubstr("WssR<s>(s)"));
  EXPECT_NEAR(result.cost->ratio, 1.1, 1e-9);
}

TEST(ProfileStepsTest, SeveralOfTheShortestStepsStandForOneByTheirMedian) {
  Scene scene;
  scene.workload.seconds = 0.012;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8}, {});
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 8);
  const std::string pairs = scene.log.letters.substr(scene.log.letters.find('F') + 1);
  EXPECT_THAT(pairs, HasSubstr("R<s>(s)(s)(s)Wssss"));
  EXPECT_NEAR(result.cost->with.front().count(), 0.012 * 1.1, 1e-12);
  scene.workload.seconds = 1e-6;
  scene.log.letters.clear();
  static_cast<void>(profile_steps(scene.workload, scene.observer, kSchedule, {.most = 2}, {}));
  EXPECT_THAT(scene.log.letters, HasSubstr("W" + std::string(1 + 9, 's')));
  EXPECT_THAT(scene.log.letters, ::testing::Not(HasSubstr(std::string(1 + 10, 's'))));
}

TEST(ProfileStepsTest, SidesThatAreApartAreRecordedOneAfterTheOther) {
  Scene scene;
  scene.observer.sides = true;
  std::vector<bool> noticed;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 0},
                    {.recording = [&](bool begins) { noticed.push_back(begins); }}, Sides::Apart);
  // First what calls belong to which op, then ops, then the device.
  EXPECT_EQ(scene.log.letters, "cs<s>(s)hs<s>(s)(s)ds<s>(s)(s)F");
  EXPECT_EQ(result.recording.steps.size(), 2);
  EXPECT_EQ(result.recording.device_steps.size(), 2);
  EXPECT_EQ(result.recording.steps.front().number, 5);
  EXPECT_EQ(result.recording.device_steps.front().number, 9);
  EXPECT_EQ(noticed, (std::vector<bool>{true, false, true, false})) << "of the ops' steps alone";
}

TEST(ProfileStepsTest, WhoHasNoSidesIsRecordedWhole) {
  for (const Sides sides : {Sides::Apart, Sides::Auto}) {
    Scene scene;
    const ProfileResult result =
        profile_steps(scene.workload, scene.observer, kSchedule, {.most = 0}, {}, sides);
    EXPECT_EQ(scene.log.letters, "s<s>(s)(s)F");
    EXPECT_FALSE(result.together);
  }
}

TEST(ProfileStepsTest, WhatIsCheapTogetherIsRecordedTogether) {
  Scene scene;
  scene.observer.sides = true;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6}, {}, Sides::Auto);
  EXPECT_TRUE(result.recording.device_steps.empty());
  EXPECT_EQ(result.recording.steps.size(), 2);
  ASSERT_TRUE(result.together);
  EXPECT_NEAR(result.together->ratio, 1.1, 1e-9);
  EXPECT_THAT(scene.log.letters, ::testing::StartsWith("ssb"));
  EXPECT_THAT(scene.log.letters, HasSubstr("Rbs<s>(s)(s)F"))
      << "nothing of the trial is left in the recording";
  EXPECT_THAT(cost_text(result), ::testing::StartsWith("Profiling cost 1.100x"));
  EXPECT_FALSE(result.device_cost);
}

TEST(ProfileStepsTest, WhatIsDearTogetherIsRecordedApartAndBothCostsAreTold) {
  Scene scene;
  scene.observer.sides = true;
  scene.workload.watched = [&] {
    const Side side = scene.observer.side();
    return side == Side::Both ? 1.3 : side == Side::Device ? 1.16 : 1.08;
  };
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6}, {}, Sides::Auto);
  EXPECT_EQ(result.recording.device_steps.size(), 2);
  ASSERT_TRUE(result.cost && result.device_cost && result.together);
  EXPECT_NEAR(result.cost->ratio, 1.08, 1e-9);
  EXPECT_NEAR(result.device_cost->ratio, 1.16, 1e-9);
  EXPECT_NEAR(result.together->ratio, 1.3, 1e-9);
  EXPECT_EQ(dearest_cost(result), &*result.device_cost);
  const std::string text = cost_text(result);
  EXPECT_THAT(text, HasSubstr("Recording ops cost 1.080x"));
  EXPECT_THAT(text, HasSubstr("Recording kernels cost 1.160x"));
  EXPECT_THAT(text, HasSubstr("in the same steps they would cost 1.30x (6 pairs)"));
}

TEST(ProfileStepsTest, WithoutMeasuringTheCostSidesAreNotTried) {
  Scene scene;
  scene.observer.sides = true;
  const ProfileResult result =
      profile_steps(scene.workload, scene.observer, kSchedule, {.most = 0}, {}, Sides::Auto);
  EXPECT_EQ(scene.log.letters, "bs<s>(s)(s)F");
  EXPECT_EQ(result.recording.steps.size(), 2);
  EXPECT_TRUE(cost_text(result).empty());
}

TEST(ProfileStepsTest, AnInterruptBetweenTheSidesEndsTheRecordingThere) {
  Scene scene;
  scene.observer.sides = true;
  const ProfileResult result = profile_steps(scene.workload, scene.observer, kSchedule, {.most = 6},
                                             {.interrupted =
                                                  [&] {
                                                    return scene.log.letters.ends_with(
                                                        "h"
                                                        "s<s>(s)");
                                                  }},
                                             Sides::Apart);
  EXPECT_EQ(scene.log.letters, "cs<s>(s)hs<s>(s)F");
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.cost);
}

TEST(ProfileStepsTest, NoProfileTakesMoreStepsThanIsSaid) {
  for (const double seconds : {1e-6, 1.0}) {
    Scene scene;
    scene.observer.sides = true;
    scene.workload.seconds = seconds;
    scene.workload.watched = [] { return 2.0; };
    static_cast<void>(
        profile_steps(scene.workload, scene.observer, kSchedule, {.most = 8}, {}, Sides::Auto));
    EXPECT_LE(std::ranges::count(scene.log.letters, 's'),
              most_steps(kSchedule, 8) - kMostPlainSteps);
  }
}

TEST(ProfileStepsTest, TheBudgetEndsTheRoundsOnceThereAreEnoughForAnInterval) {
  Scene scene;
  const ProfileResult result = profile_steps(scene.workload, scene.observer, kSchedule,
                                             {.most = 36, .least = 6, .budget = Seconds{0}}, {});
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->with.size(), 6);
}

}  // namespace
}  // namespace ridgeline
