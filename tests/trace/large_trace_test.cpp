// Traces that only a stranger writes: a pass whose time grows with the square of anything in them
// would not end here.
#include <string>

#include <gtest/gtest.h>

#include "trace/analysis.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

TEST(LargeTraceTest, AMillionSlicesInsideEachOtherAreAnalysed) {
  MadeTrace made;
  for (std::int64_t depth = 0; depth < kMillion; ++depth)
    made.host({.name = depth % 2 == 0 ? "even" : "odd",
               .start = depth,
               .length = 2 * (kMillion - depth) + 100});
  made.launched(1, kMillion + 10, {.name = "k", .start = 5 * kMillion, .length = 7});
  const TraceAnalysis analysis = analyse(made.trace);
  ASSERT_EQ(analysis.ops.size(), 3U);
  for (const TraceOpRow& row : analysis.ops) EXPECT_EQ(row.device_ns, 7) << row.name;
  std::int64_t self = 0;
  for (const TraceOpRow& row : analysis.ops) self += row.self_host_ns;
  EXPECT_EQ(self, 2 * kMillion + 100);
}

TEST(LargeTraceTest, SlicesThatAllOverlapAreAnalysed) {
  MadeTrace made;
  for (std::int64_t i = 0; i < kMillion / 2; ++i)
    made.host({.name = "staggered", .start = i, .length = kMillion});
  const TraceAnalysis analysis = analyse(made.trace);
  ASSERT_EQ(analysis.ops.size(), 1U);
  EXPECT_EQ(analysis.ops[0].self_host_ns, kMillion / 2 * kMillion);
}

TEST(LargeTraceTest, EveryKernelOnADeviceAndAStreamOfItsOwnIsAnalysed) {
  MadeTrace made;
  constexpr std::int64_t kDevices = 100'000;
  for (std::int64_t device = 0; device < kDevices; ++device)
    made.device({.name = "k", .start = device, .length = 5, .stream = device, .device = device});
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.breakdowns.size(), static_cast<std::size_t>(kDevices));
  EXPECT_EQ(analysis.in_steps.devices.size(), static_cast<std::size_t>(kDevices));
}

TEST(LargeTraceTest, RowsOfStepsAreNoMoreThanTheWorkInThem) {
  MadeTrace made;
  constexpr std::int64_t kMany = 3000;
  for (std::int64_t i = 0; i < kMany; ++i) {
    made.host({.name = "ProfilerStep#" + std::to_string(i),
               .start = 100 * i,
               .length = 100,
               .kind = EventKind::UserAnnotation});
    made.device({.name = "k", .start = 100 * i + 5, .length = 50, .device = i});
  }
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.breakdowns.size(), 2U * kMany);
}

}  // namespace
}  // namespace ridgeline
