#include "trace/step_threads.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "trace/analysis_facts.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

MadeTrace::Host step(std::string_view name, std::int64_t start, std::int64_t length) {
  return {.name = name, .start = start, .length = length, .kind = EventKind::UserAnnotation};
}

TEST(StepThreadsTest, OfAHostAloneTheThreadsThatStepCountAndAutogradsWithThem) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "aten::mm", .start = 1'000, .length = 40'000})
      .host({.name = "aten::mul", .start = 1'000, .length = 95'000, .thread = 2})
      .host({.name = "aten::mm", .start = 2'000, .length = 9'000, .thread = 2})
      .host({.name = "autograd::engine::evaluate_function: MmBackward0",
             .start = 50'000,
             .length = 30'000,
             .thread = 3})
      .host({.name = "aten::mm", .start = 51'000, .length = 28'000, .thread = 3});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.leaves_threads_out);
  EXPECT_TRUE(facts.runs_backward);
  EXPECT_DOUBLE_EQ(op_time(facts).count(), 70e-6);
  EXPECT_DOUBLE_EQ(op_time(facts, OpKind::Matmul).count(), 70e-6);
  const auto mm = std::ranges::find(facts.ops, "aten::mm", &OpFact::name);
  ASSERT_NE(mm, facts.ops.end());
  EXPECT_EQ(mm->calls, 2);
}

TEST(StepThreadsTest, AThreadThatOnlyWaitsInItsStepsLeavesTheirTimeToNoOp) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "aten::empty", .start = 200'000, .length = 10})
      .host({.name = "gloo:all_reduce",
             .start = 10'000,
             .length = 80'000,
             .kind = EventKind::UserAnnotation,
             .thread = 2});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_TRUE(facts.leaves_threads_out);
  ASSERT_TRUE(facts.communication);
  EXPECT_DOUBLE_EQ(facts.communication->time.count(), 80e-6);
}

TEST(StepThreadsTest, WhereTheThreadOfTheStepsHasNoOpsAllThreadsCount) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "aten::mm", .start = 1'000, .length = 40'000, .thread = 2});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_FALSE(facts.leaves_threads_out);
  EXPECT_DOUBLE_EQ(op_time(facts).count(), 40e-6);
}

}  // namespace
}  // namespace ridgeline
