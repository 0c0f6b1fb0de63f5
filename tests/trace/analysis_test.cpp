#include "trace/analysis.h"

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

TEST(KernelTableTest, TimesCountsAndSharesAreThoseOfTheEvents) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 0, .length = 30})
      .device({.name = "relu", .start = 40, .length = 5})
      .device({.name = "gemm", .start = 50, .length = 10})
      .device({.name = "Memset (Device)", .start = 70, .length = 5, .kind = EventKind::Memset});
  const auto rows = analyse(made.trace).kernels;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "gemm");
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].total_ns, 40);
  EXPECT_EQ(rows[0].min_ns, 10);
  EXPECT_EQ(rows[0].max_ns, 30);
  EXPECT_DOUBLE_EQ(rows[0].mean_ns(), 20);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.8);
  EXPECT_EQ(rows[2].work, WorkClass::Copy);
}

TEST(CopyTableTest, BandwidthComesFromTheCopiesThatTellTheirSize) {
  MadeTrace made;
  made.device({.name = "Memcpy HtoD (Pageable -> Device)",
               .start = 0,
               .length = 100,
               .kind = EventKind::Memcpy});
  made.trace.events.set_bytes(1000);
  made.device({.name = "Memcpy HtoD (Pinned -> Device)",
               .start = 200,
               .length = 900,
               .kind = EventKind::Memcpy})
      .device({.name = "Memcpy DtoD", .start = 2000, .length = 0, .kind = EventKind::Memcpy});
  made.trace.events.set_bytes(5);
  const auto rows = analyse(made.trace).copies;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].direction, "HtoD");
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].sized, 1U);
  EXPECT_EQ(rows[0].bytes_per_s(), 1e10);
  EXPECT_EQ(rows[1].direction, "DtoD");
  EXPECT_EQ(rows[1].bytes_per_s(), std::nullopt);
}

TEST(IdleTest, EveryGapOfAStreamHasTheCauseItsLaunchTells) {
  MadeTrace made;
  made.launched(1, 0, {.name = "a", .start = 100, .length = 100})
      .launched(2, 50, {.name = "b", .start = 250, .length = 50})    // queued, 50 ns: kernel wait
      .launched(3, 400, {.name = "c", .start = 500, .length = 100})  // asked for at 400: host wait
      .launched(4, 450, {.name = "d", .start = 100'600, .length = 100})  // queued, 100 µs: other
      .launched(5, 460, {.name = "e", .start = 100'650, .length = 10});  // within d: no gap
  const auto idle = analyse(made.trace).idle;
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle[0].kernel_wait_ns, 50);
  EXPECT_EQ(idle[0].host_wait_ns, 200);
  EXPECT_EQ(idle[0].other_ns, 100'000);
}

TEST(IdleTest, TheLongestGapsNameTheirNeighboursAcrossStreams) {
  MadeTrace made;
  made.launched(1, 0, {.name = "a", .start = 10, .length = 100})
      .launched(2, 5, {.name = "b", .start = 20, .length = 10, .stream = 8})
      .launched(3, 300, {.name = "c", .start = 310, .length = 10, .stream = 8})
      .launched(4, 301, {.name = "d", .start = 330, .length = 10});
  const auto gaps = longest_gaps(made.trace.events, DeviceWork(made.trace.events), 1);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].length_ns, 200);
  EXPECT_EQ(gaps[0].start_ns, 110);
  EXPECT_EQ(gaps[0].before, "a");
  EXPECT_EQ(gaps[0].after, "c");
  EXPECT_EQ(gaps[0].cause, IdleCause::HostWait);
}

TEST(QueueTest, LengthRisesAtLaunchesAndFallsAtStarts) {
  MadeTrace made;
  made.launched(1, 0, {.name = "a", .start = 10, .length = 5})
      .launched(2, 5, {.name = "b", .start = 20, .length = 5})
      .launched(3, 30, {.name = "c", .start = 30, .length = 5});
  const auto queues = analyse(made.trace).queues;
  ASSERT_EQ(queues.size(), 1U);
  EXPECT_EQ(queues[0].changes, 6U);
  EXPECT_EQ(queues[0].longest, 2);
  EXPECT_DOUBLE_EQ(queues[0].mean_at_changes, (1 + 2 + 1 + 0 + 1 + 0) / 6.0);
  EXPECT_DOUBLE_EQ(queues[0].mean_over_time, (5 * 1 + 5 * 2 + 10 * 1) / 30.0);
}

TEST(LaunchStatsTest, ShortKernelsLongCallsAndDelaysAreCounted) {
  MadeTrace made;
  made.launched(1, 0, {.name = "a", .start = 10, .length = 4})
      .launched(2, 20, {.name = "b", .start = 200'000, .length = 100})
      .host({.name = "cudaLaunchKernel",
             .start = 300'000,
             .length = 60'000,
             .kind = EventKind::Runtime,
             .correlation = 3})
      .device({.name = "c", .start = 310'000, .length = 70'000, .correlation = 3})
      .device({.name = "stray", .start = 500'000, .length = 1});
  const LaunchStats stats = analyse(made.trace).launches;
  EXPECT_EQ(stats.calls, 3U);
  EXPECT_EQ(stats.launched, 3U);
  EXPECT_EQ(stats.unmatched, 1U);
  EXPECT_EQ(stats.short_kernels, 1U);
  EXPECT_EQ(stats.long_calls, 1U);
  EXPECT_EQ(stats.delayed, 1U);
  EXPECT_EQ(stats.median_delay_ns, 5);
  EXPECT_EQ(stats.max_delay_ns, 199'975);
  EXPECT_EQ(stats.call_ns, 60'010);
}

TEST(LaunchStatsTest, AGraphsLaunchCountsOnceForAllItsNodes) {
  MadeTrace made;
  made.host({.name = "cudaGraphLaunch",
             .start = 0,
             .length = 60'000,
             .kind = EventKind::Runtime,
             .correlation = 1});
  for (int node = 0; node < 10; ++node) {
    made.device({.name = "node", .start = 70'000 + node * 200'000, .length = 5, .correlation = 1});
  }
  const LaunchStats stats = analyse(made.trace).launches;
  EXPECT_EQ(stats.calls, 1U);
  EXPECT_EQ(stats.launched, 10U);
  EXPECT_EQ(stats.call_ns, 60'000);
  EXPECT_EQ(stats.long_calls, 1U);
  EXPECT_EQ(stats.short_kernels, 0U);
  EXPECT_EQ(stats.max_delay_ns, 10'000);
}

TEST(MemoryPeakTest, ToldTotalsAreBelievedAndChangesAreSummedWithoutThem) {
  MadeTrace made;
  made.trace.events.memory = {{.time_ns = 30, .bytes = -50, .device_type = 0, .device = -1},
                              {.time_ns = 10, .bytes = 100, .device_type = 0, .device = -1},
                              {.time_ns = 20, .bytes = 40, .device_type = 0, .device = -1},
                              {.time_ns = 12,
                               .bytes = 5,
                               .device_type = 1,
                               .device = 1,
                               .allocated = 900,
                               .reserved = 2000},
                              {.time_ns = 15,
                               .bytes = -5,
                               .device_type = 1,
                               .device = 1,
                               .allocated = 895,
                               .reserved = 2000}};
  const auto peaks = analyse(made.trace).memory;
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0].device, "cpu");
  EXPECT_EQ(peaks[0].peak_bytes, 140);
  EXPECT_EQ(peaks[0].peak_at_ns, 10);
  EXPECT_FALSE(peaks[0].absolute);
  EXPECT_EQ(peaks[0].changes, 3U);
  EXPECT_EQ(peaks[1].device, "cuda:1");
  EXPECT_EQ(peaks[1].peak_bytes, 900);
  EXPECT_TRUE(peaks[1].absolute);
  EXPECT_EQ(peaks[1].reserved_bytes, 2000);
}

TEST(AnalysisTest, AnEmptyTraceGivesEmptyTables) {
  const TraceAnalysis analysis = analyse(Trace{});
  EXPECT_EQ(analysis.span_ns, 0);
  EXPECT_TRUE(analysis.kernels.empty() && analysis.ops.empty() && analysis.breakdowns.empty());
}

TEST(LaunchStatsTest, WithoutLaunchesThereIsNoDelay) {
  MadeTrace made;
  made.device({.name = "k", .start = 0, .length = 5});
  const LaunchStats stats = analyse(made.trace).launches;
  EXPECT_EQ(stats.unmatched, 1U);
  EXPECT_FALSE(stats.median_delay_ns);
  EXPECT_FALSE(stats.max_delay_ns);
}

TEST(AnalysisTest, WhatTheAllocatorHoldsIsThatAtThePeak) {
  MadeTrace made;
  const auto change = [](std::int64_t time, std::int64_t bytes, std::int64_t all,
                         std::int64_t reserved) {
    return MemoryChange{
        .time_ns = time, .bytes = bytes, .device_type = 1, .allocated = all, .reserved = reserved};
  };
  made.trace.events.memory = {change(10, 700, 700, 800), change(20, 100, 800, 800),
                              change(30, -500, 300, 800), change(40, 300, 600, 1600)};
  const auto peaks = analyse(made.trace).memory;
  ASSERT_EQ(peaks.size(), 1U);
  EXPECT_EQ(peaks[0].peak_bytes, 800);
  EXPECT_EQ(peaks[0].reserved_bytes, 800);
}

}  // namespace
}  // namespace ridgeline
