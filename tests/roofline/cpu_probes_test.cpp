#include "roofline/cpu_probes.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::ElementsAre;

// Tiny caches, so that everything runs in a moment.
CpuProbeOptions options_for(std::vector<int> threads) {
  return {.cpu = {.logical_cores = 2,
                  .l1 = Bytes{8 * 1024},
                  .l2 = Bytes{64 * 1024},
                  .l3 = Bytes{1024 * 1024},
                  .l3_cores = 2},
          .cores = {0, 0},
          .threads = std::move(threads),
          .memory_available = Bytes{4e9},
          .kernels = usable_cpu_kernels()};
}

TEST(CpuProbesTest, ThreadsAreDoubledUpToAllCores) {
  EXPECT_THAT(thread_counts(1), ElementsAre(1));
  EXPECT_THAT(thread_counts(2), ElementsAre(1, 2));
  EXPECT_THAT(thread_counts(6), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(thread_counts(8), ElementsAre(1, 2, 4, 8));
}

TEST(CpuProbesTest, EveryLevelAndFormatHasAProbeForEachNumberOfThreads) {
  const auto kernels = usable_cpu_kernels();
  if (kernels.empty()) GTEST_SKIP() << "a CPU without FMA";
  std::map<int, std::vector<std::string>> names;
  for (const PeakProbe& probe : cpu_probes(options_for({1, 2}))) {
    names[probe.what.threads].push_back(probe.what.name);
    EXPECT_NE(probe.what.path.has_value(), probe.what.level.has_value()) << probe.what.name;
    EXPECT_EQ(probe.what.is_bandwidth, probe.what.level.has_value()) << probe.what.name;
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[1], names[2]);
  EXPECT_EQ(names[1].size(), 2 * kernels.size() + 5);
  for (const char* name :
       {"fp32 scalar", "fp64 scalar", "L1 read", "L2 read", "L3 read", "DRAM read", "copy"})
    EXPECT_THAT(names[1], ::testing::Contains(name));
}

TEST(CpuProbesTest, EveryCandidateRunsAsOftenAsItIsAsked) {
  for (const PeakProbe& probe : cpu_probes(options_for({2}))) {
    const auto candidates = probe.prepare();
    ASSERT_FALSE(candidates.empty()) << probe.what.name;
    for (const PeakCandidate& candidate : candidates) {
      EXPECT_GT(candidate.work, 0) << probe.what.name;
      EXPECT_GT(candidate.run(3).count(), 0) << probe.what.name;
    }
  }
}

TEST(CpuProbesTest, WithoutKernelsOrCachesThereIsNothingToMeasure) {
  CpuProbeOptions options = options_for({1});
  options.kernels.clear();
  EXPECT_TRUE(cpu_probes(options).empty());
  options = options_for({1});
  options.cpu = {};
  options.memory_available = {};
  EXPECT_EQ(cpu_probes(options).size(), 2 * options.kernels.size());
}

}  // namespace
}  // namespace ridgeline
