#include "measure/utilisation.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/utilisation_watch.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuState busy(double percent) {
  return {.sm_clock_mhz = 1000 + percent, .power_w = 2 * percent, .gpu_busy_percent = percent};
}

// Steps of a tenth of a second, one after the other.
void steps(UtilisationLog& log, double from, double to) {
  for (double t = from; t < to - 1e-9; t += 0.1) {
    log.step_began(Seconds{t});
    log.step_ended(Seconds{t + 0.1});
  }
}

TEST(UtilisationTest, OnlySamplesThatTellOfStepsAloneCount) {
  UtilisationLog log;
  log.add(Seconds{0}, busy(1));
  steps(log, 0.0, 0.5);
  log.add(Seconds{0.5}, busy(2));  // a period of one second reaches back before the steps
  steps(log, 0.5, 1.2);
  log.add(Seconds{1.2}, busy(80));
  steps(log, 1.2, 1.6);
  log.add(Seconds{1.6}, busy(90));
  log.steps_pause();
  log.add(Seconds{2.0}, busy(3));  // the steps are over
  const Utilisation result = log.result();
  EXPECT_EQ(result.samples, 2);
  EXPECT_EQ(result.gpu_percent, 85);
  EXPECT_EQ(result.power_w, 170);
  EXPECT_EQ(result.sm_clock_mhz, 1085);
  EXPECT_EQ(result.memory_percent, std::nullopt);
  EXPECT_NEAR(result.watched.count(), 1.4, 1e-9) << "the second before the first sample with it";
  EXPECT_EQ(result.why_absent, "");
}

// The host queues steps ahead and waits, at a report, until the device has done them.
TEST(UtilisationTest, TheDeviceWorkingOffItsQueueIsNoPause) {
  UtilisationLog log;
  for (double t = 0; t < 3; t += 0.5) {
    log.step_began(Seconds{t});
    log.step_ended(Seconds{t + 0.1});
    log.add(Seconds{t + 0.4}, busy(99));
  }
  EXPECT_EQ(log.result().samples, 4);
  EXPECT_EQ(log.result().gpu_percent, 99);
}

TEST(UtilisationTest, TimeThatWasNotWatchedDoesNotCount) {
  UtilisationLog log;
  for (const double begin : {0.0, 100.0}) {
    log.step_began(Seconds{begin});
    log.add(Seconds{begin + 1.5}, busy(50));
    log.add(Seconds{begin + 1.75}, busy(50));
    log.steps_pause();
  }
  EXPECT_NEAR(log.result().watched.count(), 2.5, 1e-9);
}

TEST(UtilisationTest, EnoughIsEnough) {
  UtilisationLog log;
  log.step_began(Seconds{0});
  for (std::size_t i = 0; i + 1 < kEnoughSamples; ++i)
    log.add(Seconds{1 + 0.1 * static_cast<double>(i)}, busy(50));
  EXPECT_FALSE(log.has_enough());
  log.add(Seconds{100}, busy(50));
  EXPECT_TRUE(log.has_enough());
}

TEST(UtilisationTest, APauseBetweenStepsBeginsTheWaitAnew) {
  UtilisationLog log;
  steps(log, 0, 0.9);
  log.steps_pause();
  steps(log, 1.4, 2.0);
  log.add(Seconds{2.0}, busy(50));
  EXPECT_EQ(log.result().samples, 0);
  steps(log, 2.0, 2.5);
  log.add(Seconds{2.5}, busy(50));
  EXPECT_EQ(log.result().samples, 1);
}

TEST(UtilisationTest, ALongStepIsEnoughByItself) {
  UtilisationLog log;
  log.step_began(Seconds{0});
  log.add(Seconds{1.5}, busy(99));
  EXPECT_EQ(log.result().gpu_percent, 99);
}

TEST(UtilisationTest, TooFewStepsLeaveAReasonAndNoZero) {
  UtilisationLog log;
  steps(log, 0, 0.4);
  log.add(Seconds{0.4}, busy(70));
  EXPECT_EQ(log.result().gpu_percent, std::nullopt);
  EXPECT_THAT(log.result().why_absent, HasSubstr("400.00 ms"));
}

TEST(UtilisationTest, ADriverThatDoesNotTellIsSaid) {
  UtilisationLog log;
  steps(log, 0, 1.2);
  log.add(Seconds{1.2}, {.power_w = 300, .throttle_reasons = {"power cap"}});
  log.add(Seconds{1.2}, {.throttle_reasons = {"power cap", "hardware slowdown"}});
  const Utilisation result = log.result();
  EXPECT_EQ(result.gpu_percent, std::nullopt);
  EXPECT_THAT(result.why_absent, HasSubstr("does not tell"));
  EXPECT_THAT(result.throttle_reasons, ElementsAre("power cap", "hardware slowdown"));
}

TEST(UtilisationTest, TheWatchAsksFromAThreadOfItsOwn) {
  std::atomic<bool> asked{false};
  std::atomic<bool> elsewhere{false};
  UtilisationWatch watch([&, me = std::this_thread::get_id()] {
    elsewhere = std::this_thread::get_id() != me;
    asked = true;
    asked.notify_one();
    return std::optional(busy(70));
  });
  watch.step_began();
  asked.wait(false);
  watch.step_ended();
  EXPECT_TRUE(elsewhere);
  EXPECT_EQ(watch.finish().gpu_percent, std::nullopt) << "hardly a second";
}

TEST(UtilisationTest, WhereTheDriverSaysNothingThereIsNoSample) {
  UtilisationWatch watch([] { return std::nullopt; });
  watch.step_began();
  EXPECT_EQ(watch.finish().samples, 0);
}

}  // namespace
}  // namespace ridgeline
