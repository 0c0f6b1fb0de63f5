#include "trace/host_waits.h"

#include <gtest/gtest.h>

#include "trace/analysis.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

HostWaits waits_of(const Trace& trace) {
  return host_waits(trace.events, DeviceWork(trace.events), trace_steps(trace.events));
}

MadeTrace::Host step(std::string_view name, std::int64_t start) {
  return {.name = name, .start = start, .length = 1000, .kind = EventKind::UserAnnotation};
}

MadeTrace::Device wait(std::string_view name, std::int64_t start, std::int64_t length,
                       std::uint32_t external = 0) {
  return {.name = name,
          .start = start,
          .length = length,
          .kind = EventKind::Sync,
          .external = external,
          .stream = -1};
}

// Two steps of a kernel, a wait in an op, a second kernel, and a wait that ends the step.
Trace two_steps() {
  MadeTrace made;
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t t = 2000 * i;
    const auto id = static_cast<std::uint32_t>(10 * i);
    made.host(step(i == 0 ? "ProfilerStep#0" : "ProfilerStep#1", t));
    made.launched(id + 1, t + 10, {.name = "k", .start = t + 50, .length = 100});
    made.host({.name = "aten::item", .start = t + 20, .length = 200, .external = id + 5});
    made.device(wait("Stream Sync", t + 30, 130, id + 5));
    made.launched(id + 2, t + 300, {.name = "k", .start = t + 320, .length = 400});
    made.device(wait("Event Sync", t + 310, 420));
    made.device(wait("Stream Wait Event", t + 305, 1));
  }
  return made.trace;
}

TEST(HostWaitsTest, AWaitBeforeMoreLaunchesIsToldFromTheOneThatEndsTheStep) {
  const HostWaits waits = waits_of(two_steps());
  ASSERT_EQ(waits.rows.size(), 2) << "one stream waiting for another holds no host";
  EXPECT_EQ(waits.rows[0].kind, "Event Sync");
  EXPECT_EQ(waits.rows[0].count, 2);
  EXPECT_EQ(waits.rows[0].total_ns, 840);
  EXPECT_EQ(waits.rows[0].before_work, 0);
  EXPECT_EQ(waits.rows[1].kind, "Stream Sync");
  EXPECT_EQ(waits.rows[1].longest_ns, 130);
  EXPECT_EQ(waits.rows[1].before_work, 2);
  EXPECT_EQ(waits.rows[1].before_work_ns, 260);
  EXPECT_EQ(waits.op, "aten::item");
}

TEST(HostWaitsTest, AWaitDuringWhichAnotherThreadLaunchesHoldsNothingBack) {
  MadeTrace made;
  made.host(step("ProfilerStep#0", 0));
  const auto waits_on = [&](std::int64_t thread, std::int64_t start, std::int64_t length) {
    made.host({.name = "cudaStreamSynchronize",
               .start = start,
               .length = length,
               .kind = EventKind::Runtime,
               .thread = thread});
  };
  for (const std::int64_t thread : {2, 3, 4}) waits_on(thread, 100, 500);
  made.launched(1, 300, {.name = "k", .start = 320, .length = 100});
  made.launched(2, 900, {.name = "k", .start = 920, .length = 10});
  EXPECT_EQ(waits_of(made.trace).rows.at(0).before_work, 0);
  EXPECT_EQ(total_ns(waits_of(made.trace).all), 500) << "three threads wait at once";
  waits_on(2, 700, 100);
  waits_on(3, 750, 100);
  const HostWaits waits = waits_of(made.trace);
  EXPECT_EQ(waits.rows.at(0).before_work, 2);
  EXPECT_EQ(waits.rows.at(0).before_work_ns, 200);
  ASSERT_EQ(waits.holding.size(), 1U);
  EXPECT_EQ(total_ns(waits.holding), 150) << "the step stands still once";
}

TEST(HostWaitsTest, AnOpThatTheWaitDoesNotLieInIsNotItsOwn) {
  MadeTrace other;
  other.host(step("ProfilerStep#0", 0))
      .host({.name = "aten::mm", .start = 1, .length = 2, .external = 5});
  other.device(wait("Stream Sync", 30, 10, 5));
  other.launched(2, 300, {.name = "k", .start = 320, .length = 400});
  EXPECT_EQ(waits_of(other.trace).op, "");
}

TEST(HostWaitsTest, WithoutRecordsTheCallsTell) {
  MadeTrace made;
  made.host(
      {.name = "cudaDeviceSynchronize", .start = 0, .length = 40, .kind = EventKind::Runtime});
  made.host({.name = "cudaLaunchKernel", .start = 50, .length = 5, .kind = EventKind::Runtime});
  const HostWaits calls = waits_of(made.trace);
  ASSERT_EQ(calls.rows.size(), 1);
  EXPECT_EQ(calls.rows[0].kind, "Context Sync");
  EXPECT_EQ(calls.rows[0].total_ns, 40);
  made.device(wait("Stream Sync", 60, 7));
  ASSERT_EQ(waits_of(made.trace).rows.size(), 1) << "never both";
  EXPECT_EQ(waits_of(made.trace).rows[0].kind, "Stream Sync");
}

TEST(HostWaitsTest, CallsAreKnownWithTheVersionThatNsightSystemsWrites) {
  MadeTrace made;
  for (const char* name : {"cudaStreamSynchronize_v3020", "cudaStreamSynchronize_v", "my_v3020"})
    made.host({.name = name, .start = 0, .length = 40, .kind = EventKind::Runtime});
  const HostWaits waits = waits_of(made.trace);
  ASSERT_EQ(waits.rows.size(), 1);
  EXPECT_EQ(waits.rows[0].count, 1);
}

TEST(HostWaitsTest, WithoutStepsWhatCameAfterwardsIsNotTold) {
  MadeTrace made;
  made.device(wait("Stream Sync", 10, 10));
  made.launched(1, 300, {.name = "k", .start = 320, .length = 400});
  EXPECT_EQ(waits_of(made.trace).rows.at(0).before_work, std::nullopt);
  EXPECT_EQ(waits_of(made.trace).rows.at(0).before_work_ns, std::nullopt);
}

TEST(HostWaitsTest, NoSumOfTheDeviceMeetsAWait) {
  Trace plain = two_steps();
  MadeTrace without;
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::int64_t t = 2000 * i;
    const auto id = static_cast<std::uint32_t>(10 * i);
    without.host(step(i == 0 ? "ProfilerStep#0" : "ProfilerStep#1", t));
    without.launched(id + 1, t + 10, {.name = "k", .start = t + 50, .length = 100});
    without.launched(id + 2, t + 300, {.name = "k", .start = t + 320, .length = 400});
  }
  const TraceAnalysis with = analyse(plain);
  const TraceAnalysis expected = analyse(without.trace);
  ASSERT_EQ(with.breakdowns.size(), expected.breakdowns.size());
  for (std::size_t i = 0; i < with.breakdowns.size(); ++i) {
    EXPECT_EQ(with.breakdowns[i].span_ns, expected.breakdowns[i].span_ns);
    EXPECT_EQ(with.breakdowns[i].idle_ns, expected.breakdowns[i].idle_ns);
    EXPECT_EQ(with.breakdowns[i].kernels, expected.breakdowns[i].kernels);
  }
  EXPECT_EQ(with.kernels.size(), 1);
  EXPECT_EQ(with.idle.size(), 1) << "the track of waits is no stream";
  EXPECT_EQ(with.gaps.size(), expected.gaps.size());
  EXPECT_EQ(with.launches.calls, expected.launches.calls);
}

}  // namespace
}  // namespace ridgeline
