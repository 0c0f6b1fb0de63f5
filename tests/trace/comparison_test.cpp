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

}  // namespace
}  // namespace ridgeline
