#include "trace/breakdown.h"

#include <gtest/gtest.h>

#include "trace/intervals.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

std::vector<Breakdown> breakdowns_of(const MadeTrace& made) {
  const EventTable& events = made.trace.events;
  return breakdowns(events, DeviceWork(events), trace_steps(events));
}

TEST(IntervalsTest, TouchingAndNestedSpansBecomeOne) {
  EXPECT_EQ(merged({{5, 9}, {1, 3}, {3, 4}, {6, 7}, {20, 20}}),
            (Intervals{{1, 4}, {5, 9}, {20, 20}}));
  EXPECT_EQ(total_ns({{1, 4}, {5, 9}}), 7);
  EXPECT_EQ(overlap_ns({{0, 10}, {20, 30}}, {{5, 25}, {29, 40}}), 5 + 5 + 1);
  EXPECT_EQ(overlap_ns({{0, 10}}, {}), 0);
}

TEST(IntervalsTest, ImpossiblyLongSumsStopAtTheLargestNumber) {
  const std::int64_t huge = 3'000'000'000'000'000'000;
  EXPECT_EQ(add_times(add_times(huge, huge), add_times(huge, huge)), INT64_MAX);
}

TEST(BreakdownTest, ClassesAreMergedOverStreamsAndIdleIsWhatNoneCovers) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 100, .length = 50})
      .device({.name = "relu", .start = 120, .length = 50, .stream = 8})
      .device({.name = "ncclDevKernel_AllReduce", .start = 160, .length = 40, .stream = 9})
      .device({.name = "Memcpy HtoD", .start = 190, .length = 30, .kind = EventKind::Memcpy})
      .device({.name = "gemm", .start = 300, .length = 10});
  const auto rows = breakdowns_of(made);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].part, "whole trace");
  EXPECT_EQ(rows[0].span_ns, 210);
  EXPECT_EQ(rows[0].compute_ns, 70 + 10);
  EXPECT_EQ(rows[0].communication_ns, 40);
  EXPECT_EQ(rows[0].copy_ns, 30);
  EXPECT_EQ(rows[0].communication_hidden_ns, 10);
  EXPECT_EQ(rows[0].copy_hidden_ns, 10);
  EXPECT_EQ(rows[0].idle_ns, 80);
  EXPECT_EQ(rows[0].kernels, 4U);
}

TEST(BreakdownTest, WorkBelongsToTheStepThatLaunchedItWheneverItRan) {
  MadeTrace made;
  made.host({.name = "ProfilerStep#2",
             .start = 100,
             .length = 100,
             .kind = EventKind::UserAnnotation})
      .host(
          {.name = "ProfilerStep#1", .start = 0, .length = 100, .kind = EventKind::UserAnnotation})
      .launched(1, 10, {.name = "a", .start = 20, .length = 10})
      .launched(2, 90, {.name = "b", .start = 150, .length = 10})  // runs in the second
      .launched(3, 110, {.name = "c", .start = 160, .length = 10})
      .launched(4, 250, {.name = "d", .start = 260, .length = 10})  // in no step
      .device({.name = "unlaunched", .start = 190, .length = 5});
  const auto rows = breakdowns_of(made);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].kernels, 5U);
  EXPECT_EQ(rows[1].part, "ProfilerStep#1");
  EXPECT_EQ(rows[1].host_ns, 100);
  EXPECT_EQ(rows[1].kernels, 2U);
  EXPECT_EQ(rows[1].span_ns, 140);
  EXPECT_EQ(rows[1].idle_ns, 120);
  EXPECT_EQ(rows[2].kernels, 2U);
  EXPECT_EQ(rows[2].compute_ns, 15);
}

TEST(BreakdownTest, EachDeviceHasLinesOfItsOwnAndAHostOnlyTraceNone) {
  MadeTrace made;
  made.device({.name = "a", .start = 0, .length = 10})
      .device({.name = "b", .start = 0, .length = 20, .device = 1});
  const auto rows = breakdowns_of(made);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].device, 1);
  EXPECT_EQ(rows[1].compute_ns, 20);
  EXPECT_TRUE(breakdowns_of(MadeTrace().host({.name = "op", .start = 0, .length = 5})).empty());
}

TEST(DeviceWorkTest, CommunicationIsToldByItsLibrarysNames) {
  EXPECT_EQ(class_of(EventKind::Kernel, "ncclKernel_AllReduce_RING_LL_Sum_float"),
            WorkClass::Communication);
  EXPECT_EQ(class_of(EventKind::Kernel, "void ncclDevKernel()"), WorkClass::Communication);
  EXPECT_EQ(class_of(EventKind::Kernel, "rcclGeneric"), WorkClass::Communication);
  EXPECT_EQ(class_of(EventKind::Kernel, "sgemm_nccl_free"), WorkClass::Compute);
  EXPECT_EQ(class_of(EventKind::Memset, "Memset (Device)"), WorkClass::Copy);
}

TEST(DeviceWorkTest, ARuntimeCallIsPreferredToTheDriverCallInsideIt) {
  MadeTrace made;
  made.host({.name = "cuLaunchKernel",
             .start = 11,
             .length = 2,
             .kind = EventKind::Driver,
             .correlation = 4})
      .host({.name = "cudaLaunchKernel",
             .start = 10,
             .length = 5,
             .kind = EventKind::Runtime,
             .correlation = 4})
      .device({.name = "k", .start = 20, .length = 1, .correlation = 4});
  const DeviceWork work(made.trace.events);
  EXPECT_EQ(work.items().at(0).launch, 1U);
}

TEST(BreakdownTest, AStepThatAskedADeviceForNothingHasNoLineOfIt) {
  MadeTrace made;
  for (std::int64_t i = 0; i < 3; ++i)
    made.host({.name = "ProfilerStep#" + std::to_string(i),
               .start = 100 * i,
               .length = 100,
               .kind = EventKind::UserAnnotation});
  made.device({.name = "a", .start = 10, .length = 10})
      .device({.name = "b", .start = 210, .length = 10, .device = 1});
  const auto rows = breakdowns_of(made);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].part, "ProfilerStep#0");
  EXPECT_EQ(rows[1].device, 0);
  EXPECT_EQ(rows[3].part, "ProfilerStep#2");
  EXPECT_EQ(rows[3].device, 1);
}

}  // namespace
}  // namespace ridgeline
