#include "trace/step_work.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

MadeTrace::Host step(std::string_view name, std::int64_t start, std::int64_t length,
                     std::int64_t thread = 1) {
  return {.name = name,
          .start = start,
          .length = length,
          .kind = EventKind::UserAnnotation,
          .thread = thread};
}

TEST(TraceStepsTest, StepsOfOneNameAreAsManyAsLieApart) {
  MadeTrace made;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::int64_t t = i * 1000;
    made.host(step("ProfilerStep", t, 900))
        .launched(i + 1, t + 10, {.name = "k", .start = t + 20, .length = 100});
  }
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.steps.size(), 5U);
  EXPECT_EQ(analysis.steps_left_out, 0U);
  EXPECT_EQ(analysis.in_steps.time_ns, 5 * 900);
  EXPECT_EQ(analysis.in_steps.kernels.count, 5U);
}

TEST(TraceStepsTest, TheSameMarkOnSeveralThreadsIsOneStep) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1000))
      .host(step("ProfilerStep#1", 5, 1000, 2))
      .host(step("ProfilerStep#2", 1010, 1000))
      .host(step("ProfilerStep#2", 1010, 0, 2));
  EXPECT_EQ(trace_steps(made.trace.events).size(), 2U);
}

TEST(StepWorkTest, AStepEndsWhereTheNextBeginsSoThatNoMomentCountsTwice) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1000)).host(step("ProfilerStep#2", 500, 1000));
  for (std::uint32_t i = 0; i < 7; ++i) {
    const std::int64_t t = i * 200;
    made.launched(i + 1, t + 10, {.name = "k", .start = t + 20, .length = 100});
  }
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.in_steps.time_ns, 1500);
  ASSERT_EQ(analysis.in_steps.devices.size(), 1U);
  EXPECT_EQ(analysis.in_steps.devices.front().busy_ns, 700);
}

}  // namespace
}  // namespace ridgeline
