#include "trace/launch_calls.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "trace/analysis.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

struct Rank {
  std::int64_t process{};
  std::int64_t device{};
  std::int64_t start{};    // of its first op
  std::int64_t latency{};  // from the call to its kernel
};

// Four ops with a kernel each, 200 ns apart; every rank counts its calls and ops from one.
void add(MadeTrace& made, const Rank& rank) {
  for (std::uint32_t i = 1; i <= 4; ++i) {
    const std::int64_t t = rank.start + 200 * (i - 1);
    made.host({.name = rank.process == 100 ? "op100" : "op200",
               .start = t,
               .length = 11,
               .external = i,
               .process = rank.process})
        .host({.name = "cudaLaunchKernel",
               .start = t + 2,
               .length = 5,
               .kind = EventKind::Runtime,
               .correlation = i,
               .external = i,
               .process = rank.process})
        .device({.name = "k",
                 .start = t + 2 + rank.latency,
                 .length = 100,
                 .correlation = i,
                 .external = i,
                 .device = rank.device});
  }
}

std::int64_t device_time_of(const TraceAnalysis& analysis, std::string_view op) {
  for (const TraceOpRow& row : analysis.ops) {
    if (row.name == op) return row.device_ns;
  }
  return -1;
}

void expect_each_has_its_own(const MadeTrace& made) {
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.launches.calls, 8U);
  EXPECT_EQ(device_time_of(analysis, "op100"), 400);
  EXPECT_EQ(device_time_of(analysis, "op200"), 400);
}

TEST(LaunchCallsTest, ProcessesThatCountTheirCallsAlikeKeepTheirOwnWork) {
  MadeTrace made;
  add(made, {.process = 100, .device = 0, .start = 8, .latency = 10});
  add(made, {.process = 200, .device = 1, .start = 5008, .latency = 10});
  expect_each_has_its_own(made);
  const TraceAnalysis analysis = analyse(made.trace);
  for (const StreamIdle& row : analysis.idle) EXPECT_EQ(row.host_wait_ns, 300);
  for (const QueueLength& row : analysis.queues) EXPECT_EQ(row.longest, 1);
}

TEST(LaunchCallsTest, InLockStepTheCallsThatExplainAStreamAreItsOwn) {
  MadeTrace made;
  add(made, {.process = 100, .device = 0, .start = 8, .latency = 10});
  add(made, {.process = 200, .device = 1, .start = 38, .latency = 10});
  expect_each_has_its_own(made);
}

TEST(LaunchCallsTest, WhereAllCallsCameBeforeAllWorkEachProcessHasADevice) {
  MadeTrace made;
  add(made, {.process = 100, .device = 0, .start = 8, .latency = 1000});
  add(made, {.process = 200, .device = 1, .start = 38, .latency = 1000});
  expect_each_has_its_own(made);
}

TEST(LaunchCallsTest, AnIdOfOneProcessTellsWhoseTheDeviceIs) {
  MadeTrace made;  // queued for so long that both calls came before, and the later one ran first
  add(made, {.process = 100, .device = 0, .start = 8, .latency = 1100});
  add(made, {.process = 200, .device = 1, .start = 38, .latency = 1000});
  made.host({.name = "op100", .start = 2000, .length = 11, .process = 100})
      .host({.name = "cudaLaunchKernel",
             .start = 2002,
             .length = 5,
             .kind = EventKind::Runtime,
             .correlation = 77,
             .process = 100})
      .device({.name = "k", .start = 2010, .length = 1, .correlation = 77});
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(device_time_of(analysis, "op100"), 401);
  EXPECT_EQ(device_time_of(analysis, "op200"), 400);
}

TEST(LaunchCallsTest, WithinAProcessTheFirstOfTwoCallsIsTaken) {
  MadeTrace made;
  for (const std::int64_t start : {500, 10})
    made.host({.name = "cudaLaunchKernel",
               .start = start,
               .length = 5,
               .kind = EventKind::Runtime,
               .correlation = 1});
  made.device({.name = "k", .start = 600, .length = 1, .correlation = 1});
  const LaunchCalls calls(made.trace.events);
  EXPECT_EQ(calls.of(2), 1U);
}

TEST(LaunchCallsTest, AnExternalIdIsLookedUpInTheProcessThatLaunched) {
  MadeTrace made;  // ops on other threads than their launches
  for (const std::int64_t process : {100, 200}) {
    const std::int64_t t = process * 100;
    made.host({.name = process == 100 ? "op100" : "op200",
               .start = t,
               .length = 50,
               .external = 5,
               .process = process})
        .host({.name = "cudaLaunchKernel",
               .start = t + 10,
               .length = 5,
               .kind = EventKind::Runtime,
               .correlation = 1,
               .external = 5,
               .thread = 2,
               .process = process})
        .device({.name = "k",
                 .start = t + 20,
                 .length = 100,
                 .correlation = 1,
                 .external = 5,
                 .device = process});
  }
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(device_time_of(analysis, "op100"), 100);
  EXPECT_EQ(device_time_of(analysis, "op200"), 100);
}

}  // namespace
}  // namespace ridgeline
