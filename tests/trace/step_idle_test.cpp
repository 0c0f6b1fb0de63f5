#include "trace/step_idle.h"

#include <gtest/gtest.h>

#include "trace/analysis_facts.h"
#include "trace/findings.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

MadeTrace::Host step(std::string_view name, std::int64_t start, std::int64_t length) {
  return {.name = name, .start = start, .length = length, .kind = EventKind::UserAnnotation};
}

TEST(StepIdleTest, IdleTimeIsToldApartByWhatWasAskedForWhen) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1'000));
  made.launched(1, 10, {.name = "k", .start = 100, .length = 100})
      .launched(2, 20, {.name = "k", .start = 300, .length = 100})   // 100 ns in the queue
      .launched(3, 550, {.name = "k", .start = 600, .length = 100})  // asked for too late: 200 ns
      .host({.name = "cudaStreamSynchronize",
             .start = 350,
             .length = 80,
             .kind = EventKind::Runtime});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.idle);
  EXPECT_DOUBLE_EQ(facts.idle->queued.count(), 100e-9);
  EXPECT_DOUBLE_EQ(facts.idle->in_wait.count(), 30e-9) << "the wait outlasts the kernel";
  EXPECT_NEAR(queued_idle_share(facts), 0.1, 1e-12);
  EXPECT_NEAR(launch_idle_share(facts), 0.57, 1e-12) << "before the first and after the last too";
  EXPECT_FALSE(facts.replays_graph);
}

TEST(StepIdleTest, WithoutLaunchesItIsNotKnownWhatTheDeviceWaitedFor) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1'000))
      .device({.name = "k", .start = 100, .length = 100})
      .device({.name = "k", .start = 300, .length = 100});
  EXPECT_FALSE(facts_of(analyse(made.trace)).idle);
}

TEST(StepIdleTest, StepsWhoseWorkIsOfCudaGraphsReplayThem) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1'000))
      .host({.name = "cudaGraphLaunch",
             .start = 5,
             .length = 50,
             .kind = EventKind::Runtime,
             .correlation = 1});
  for (std::int64_t i = 0; i < 10; ++i)
    made.device({.name = "k", .start = 60 + 90 * i, .length = 30, .correlation = 1});
  made.launched(2, 960, {.name = "k", .start = 970, .length = 30});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.replays_graph);
  EXPECT_DOUBLE_EQ(queued_idle_share(facts), 0.54) << "nine gaps of 60 ns between nodes";
  const auto targets = targets_of(facts);
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front().lever, "gaps between queued kernels");
  for (const Target& target : targets)
    EXPECT_EQ(target.text.find("one CUDA graph"), std::string::npos) << target.text;
}

}  // namespace
}  // namespace ridgeline
