#include "trace/op_table.h"

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

std::vector<TraceOpRow> ops_of(const MadeTrace& made) {
  return op_table(made.trace.events, DeviceWork(made.trace.events));
}

TraceOpRow row(const std::vector<TraceOpRow>& rows, std::string_view name) {
  for (const TraceOpRow& found : rows) {
    if (found.name == name) return found;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(OpTableTest, SelfTimeIsWithoutWhatIsNestedAndSumsToTheOutermost) {
  MadeTrace made;
  made.host({.name = "linear", .start = 0, .length = 100})
      .host({.name = "t", .start = 5, .length = 10})
      .host({.name = "mm", .start = 20, .length = 60})
      .host({.name = "cudaLaunchKernel", .start = 30, .length = 20, .kind = EventKind::Runtime})
      .host({.name = "mm", .start = 40, .length = 7, .thread = 2});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "linear").self_host_ns, 30);
  EXPECT_EQ(row(rows, "linear").host_ns, 100);
  EXPECT_EQ(row(rows, "mm").self_host_ns, 40 + 7);
  EXPECT_EQ(row(rows, "mm").calls, 2U);
  EXPECT_EQ(row(rows, "cudaLaunchKernel").self_host_ns, 20);
  std::int64_t sum = 0;
  for (const TraceOpRow& found : rows) sum += found.self_host_ns;
  EXPECT_EQ(sum, 100 + 7);
}

TEST(OpTableTest, ANameNestedInItselfCountsItsTimeOnce) {
  MadeTrace made;
  made.host({.name = "add", .start = 0, .length = 100})
      .host({.name = "add", .start = 10, .length = 50})
      .launched(1, 20, {.name = "k", .start = 200, .length = 30});
  const TraceOpRow add = row(ops_of(made), "add");
  EXPECT_EQ(add.calls, 2U);
  EXPECT_EQ(add.host_ns, 100);
  EXPECT_EQ(add.self_host_ns, 95);
  EXPECT_EQ(add.device_ns, 30);
  EXPECT_EQ(add.self_device_ns, 30);
}

TEST(OpTableTest, DeviceTimeGoesToTheOpAroundTheLaunchAndAllAroundIt) {
  MadeTrace made;
  made.host({.name = "linear", .start = 0, .length = 100})
      .host({.name = "mm", .start = 10, .length = 50})
      .launched(1, 20, {.name = "gemm", .start = 300, .length = 40})
      .launched(2, 70, {.name = "bias", .start = 350, .length = 5});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "mm").self_device_ns, 40);
  EXPECT_EQ(row(rows, "mm").device_ns, 40);
  EXPECT_EQ(row(rows, "linear").self_device_ns, 5);
  EXPECT_EQ(row(rows, "linear").device_ns, 45);
  EXPECT_EQ(row(rows, "cudaLaunchKernel").device_ns, 45);
}

TEST(OpTableTest, WithoutALaunchTheExternalIdFindsTheOp) {
  MadeTrace made;
  made.host({.name = "outer", .start = 0, .length = 100})
      .host({.name = "mm", .start = 10, .length = 50, .external = 9})
      .device({.name = "gemm", .start = 300, .length = 40, .external = 9})
      .device({.name = "stray", .start = 400, .length = 3, .external = 8});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "mm").self_device_ns, 40);
  EXPECT_EQ(row(rows, "outer").device_ns, 40);
}

TEST(OpTableTest, AnEventThatSticksOutIsNoChild) {
  MadeTrace made;
  made.host({.name = "a", .start = 0, .length = 10}).host({.name = "b", .start = 5, .length = 10});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "a").self_host_ns, 10);
  EXPECT_EQ(row(rows, "b").self_host_ns, 10);
}

}  // namespace
}  // namespace ridgeline
