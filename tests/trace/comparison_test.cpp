#include "trace/comparison.h"

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

ChangeRow row(const std::vector<ChangeRow>& rows, std::string_view name) {
  for (const ChangeRow& found : rows) {
    if (found.name == name) return found;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(ComparisonTest, EveryKernelIsSlowerFasterTheSameNewOrGone) {
  MadeTrace before;
  before.device({.name = "gemm", .start = 0, .length = 100})
      .device({.name = "relu", .start = 200, .length = 50})
      .device({.name = "same", .start = 300, .length = 100})
      .device({.name = "old", .start = 500, .length = 7});
  MadeTrace after;
  after.device({.name = "gemm", .start = 0, .length = 130})
      .device({.name = "relu", .start = 200, .length = 20})
      .device({.name = "same", .start = 300, .length = 101})
      .device({.name = "new", .start = 500, .length = 1000});
  const TraceComparison change = compare(analyse(before.trace), analyse(after.trace));
  EXPECT_FALSE(change.per_step);
  EXPECT_EQ(change.kernels.front().name, "new") << "the largest difference comes first";
  EXPECT_EQ(row(change.kernels, "new").kind, ChangeKind::Appeared);
  EXPECT_EQ(row(change.kernels, "old").kind, ChangeKind::Vanished);
  EXPECT_EQ(row(change.kernels, "gemm").kind, ChangeKind::Slower);
  EXPECT_EQ(row(change.kernels, "gemm").difference_ns(), 30);
  EXPECT_EQ(row(change.kernels, "relu").kind, ChangeKind::Faster);
  EXPECT_EQ(row(change.kernels, "same").kind, ChangeKind::Same);
}

MadeTrace step_of(std::int64_t length, std::int64_t kernel) {
  MadeTrace made;
  made.host({.name = "ProfilerStep#1",
             .start = 0,
             .length = length,
             .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 10, .length = 50})
      .launched(1, 20, {.name = "gemm", .start = 60, .length = kernel});
  return made;
}

TEST(ComparisonTest, TheStepItsVerdictAndTheDevicesTimeByOpStandBesideEachOther) {
  const TraceComparison change =
      compare(analyse(step_of(1000, 400).trace), analyse(step_of(500, 450).trace));
  EXPECT_DOUBLE_EQ(change.before.time_ns, 1000);
  EXPECT_DOUBLE_EQ(change.after.time_ns, 500);
  EXPECT_DOUBLE_EQ(*change.before.busy, 0.4);
  EXPECT_DOUBLE_EQ(*change.after.busy, 0.9);
  EXPECT_EQ(change.before.bound, "bound by launches");
  EXPECT_EQ(change.after.bound, "bound by the GPU");
  EXPECT_EQ(change.before.target, "fewer launches, larger batch");
  ASSERT_FALSE(change.ops_device.empty());
  EXPECT_EQ(row(change.ops_device, "aten::mm").before_ns, 400);
  EXPECT_EQ(row(change.ops_device, "aten::mm").after_ns, 450);
  EXPECT_EQ(row(change.ops, "aten::mm").kind, ChangeKind::Same);
}

TEST(FindingChangesTest, OtherNumbersAreNoChangeOtherWordsAre) {
  const auto ids = [](const MadeTrace& before, const MadeTrace& after) {
    std::vector<std::string> out;
    for (const auto& one : compare(analyse(before.trace), analyse(after.trace)).findings)
      out.push_back(one.id);
    return out;
  };
  EXPECT_TRUE(ids(step_of(1000, 400), step_of(2'000'000, 3000)).empty());
  EXPECT_EQ(ids(step_of(1000, 400), step_of(500, 450)),
            (std::vector<std::string>{"utilisation", "bound"}));
}

TEST(FindingChangesTest, WhatIsSaidOnlyOnceAppearedOrVanished) {
  ProfileFacts waits{.step = Seconds{0.1}};
  waits.data = DataFacts{.wait = Seconds{0.05}, .compute = Seconds{0.05}};
  const auto gone = finding_changes(waits, {.step = Seconds{0.1}});
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[0].id, "data");
  EXPECT_FALSE(gone[0].before.empty());
  EXPECT_TRUE(gone[0].after.empty());
}

TEST(ComparisonTest, TracesOfDifferentLengthAreComparedByTheStep) {
  MadeTrace before;
  before
      .host(
          {.name = "ProfilerStep#1", .start = 0, .length = 100, .kind = EventKind::UserAnnotation})
      .host({.name = "op", .start = 10, .length = 10});
  MadeTrace after;
  for (int step = 0; step < 2; ++step) {
    const std::int64_t start = step * 100;
    after
        .host({.name = step == 0 ? "ProfilerStep#8" : "ProfilerStep#9",
               .start = start,
               .length = 100,
               .kind = EventKind::UserAnnotation})
        .host({.name = "op", .start = start + 10, .length = 10});
  }
  const TraceComparison change = compare(analyse(before.trace), analyse(after.trace));
  EXPECT_TRUE(change.per_step);
  ASSERT_EQ(change.ops.size(), 1U) << "steps themselves are not compared by their numbers";
  EXPECT_EQ(change.ops[0].kind, ChangeKind::Same);
  EXPECT_EQ(change.ops[0].after_count, 1);
}

// A step of one op and one kernel, with `around` of the same before its mark.
MadeTrace step_after(int around) {
  MadeTrace made;
  for (int i = 0; i < around; ++i) {
    const std::int64_t t = i * 100;
    made.host({.name = "aten::mm", .start = t, .length = 20})
        .launched(static_cast<std::uint32_t>(i + 10), t + 5,
                  {.name = "gemm", .start = t + 30, .length = 40});
  }
  made.host({.name = "ProfilerStep#1",
             .start = 5000,
             .length = 1000,
             .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 5010, .length = 20})
      .launched(1, 5015, {.name = "gemm", .start = 5050, .length = 40});
  return made;
}

TEST(ComparisonTest, WhatLiesAroundTheStepsIsNoPartOfOne) {
  const TraceComparison change =
      compare(analyse(step_after(0).trace), analyse(step_after(3).trace));
  ASSERT_TRUE(change.per_step);
  for (const auto* rows : {&change.kernels, &change.ops_device}) {
    ASSERT_EQ(rows->size(), 1U);
    EXPECT_EQ(rows->front().kind, ChangeKind::Same);
    EXPECT_EQ(rows->front().after_ns, 40);
    EXPECT_EQ(rows->front().after_count, 1);
  }
  EXPECT_EQ(row(change.ops, "aten::mm").after_ns, 15);
  EXPECT_EQ(row(change.ops, "aten::mm").after_count, 1);
  EXPECT_EQ(row(change.ops, "cudaLaunchKernel").after_count, 1);
}

TEST(ComparisonTest, WhatIsCalledOutsideOfAllStepsIsNoRowOfThem) {
  MadeTrace after = step_after(0);
  after.host({.name = "warm-up", .start = 0, .length = 100});
  const TraceComparison change = compare(analyse(step_after(0).trace), analyse(after.trace));
  for (const ChangeRow& found : change.ops) EXPECT_NE(found.name, "warm-up");
}

TEST(ComparisonTest, WhereOneTraceMarksNoStepsBothAreComparedAsWholes) {
  MadeTrace without = step_after(0);
  without.trace.events = {};
  for (int i = 0; i < 4; ++i) {
    const std::int64_t t = i < 3 ? i * 100 : 5010;
    without.host({.name = "aten::mm", .start = t, .length = 20})
        .launched(static_cast<std::uint32_t>(i + 1), t + 5,
                  {.name = "gemm", .start = t + 30, .length = 40});
  }
  const TraceComparison change = compare(analyse(step_after(3).trace), analyse(without.trace));
  EXPECT_FALSE(change.per_step);
  EXPECT_TRUE(change.unlike);
  EXPECT_EQ(change.before.kernels, 4);
  EXPECT_EQ(change.after.kernels, 4);
  EXPECT_EQ(change.before.time_ns, 6000) << "to the end of the mark";
  EXPECT_EQ(change.after.time_ns, 5080);
  EXPECT_DOUBLE_EQ(*change.before.busy, 160.0 / 6000);
  EXPECT_DOUBLE_EQ(*change.after.busy, 160.0 / 5080);
  EXPECT_EQ(row(change.kernels, "gemm").kind, ChangeKind::Same);
  EXPECT_TRUE(change.before.bound.empty() && change.after.bound.empty());
  EXPECT_TRUE(change.before.target.empty() && change.after.target.empty());
  EXPECT_TRUE(change.findings.empty()) << "they would be of a step beside a whole trace";
}

TEST(ComparisonTest, WhatATraceDoesNotTellIsAbsentAndNotZero) {
  MadeTrace cpu;
  cpu.host({.name = "aten::add", .start = 0, .length = 10});
  MadeTrace gpu;
  gpu.device({.name = "k", .start = 0, .length = 10});
  const TraceComparison change = compare(analyse(cpu.trace), analyse(gpu.trace));
  EXPECT_FALSE(change.before.kernels);
  EXPECT_FALSE(change.before.communication_alone_ns);
  EXPECT_FALSE(change.before.data_wait_ns);
  EXPECT_EQ(change.after.kernels, 1);
  EXPECT_EQ(change.after.communication_alone_ns, 0) << "its kernels are known, and none sends";
  EXPECT_FALSE(change.after.data_wait_ns);
}

TEST(ComparisonTest, SharesOfSumsAreWrittenInWholeNanoseconds) {
  EXPECT_EQ(whole_ns(900'000.0000000001), 900'000);
  EXPECT_EQ(whole_ns(-1.6), -2);
  EXPECT_EQ(whole_ns(1e300), 9'000'000'000'000'000'000);
}

}  // namespace
}  // namespace ridgeline
