#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "cuda/plugin.h"
#include "engine/peaks.h"
#include "roofline/peak_rounds.h"

namespace ridgeline {
namespace {

class CudaPeakProbesTest : public PluginTest {
 protected:
  static std::vector<PeakProbe> probes() {
    std::vector<PeakProbe> all;
    plugin().add_peak_probes(0, all);
    return all;
  }
};

TEST_F(CudaPeakProbesTest, EveryCeilingHasItsProbe) {
  std::set<std::string> names;
  for (const PeakProbe& probe : probes()) EXPECT_TRUE(names.insert(probe.what.name).second);
  for (const char* name : {"fp64 FMA", "fp32 FMA", "fp16x2 FMA", "bf16x2 FMA", "L1 read", "L2 read",
                           "DRAM read", "copy", "host to device", "device to host"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(CudaPeakProbesTest, EveryCandidateRunsAndTakesLongerTwice) {
  for (const PeakProbe& probe : probes()) {
    std::vector<PeakCandidate> candidates;
    try {
      candidates = probe.prepare();
    } catch (const Error& error) {
      // A format that this card has no units for.
      EXPECT_TRUE(probe.what.name == "fp8" || probe.what.name == "int8")
          << probe.what.name << ": " << error.what();
      continue;
    }
    ASSERT_FALSE(candidates.empty()) << probe.what.name;
    for (const PeakCandidate& candidate : candidates) {
      EXPECT_GT(candidate.work, 0);
      static_cast<void>(candidate.run(1));
      EXPECT_GT(candidate.run(8), candidate.run(1)) << probe.what.name << " " << candidate.at;
    }
  }
}

// No rate can be above what the card could do if it did nothing else: a kernel that leaves work out
// would be.
TEST_F(CudaPeakProbesTest, RatesAreThoseOfACard) {
  std::vector<PeakProbe> few = probes();
  std::erase_if(few, [](const PeakProbe& probe) {
    return probe.what.name != "fp32 FMA" && probe.what.name != "DRAM read" &&
           probe.what.name != "L2 read";
  });
  const auto result = measure_in_rounds(few, {.rounds = 7, .batch = Seconds{0.005}}, {});
  ASSERT_EQ(result.peaks.size(), 3U) << (result.notes.empty() ? "" : result.notes.front());
  const DeviceFacts facts = backend().facts(0);
  for (const MeasuredPeak& peak : result.peaks) {
    if (peak.name == "fp32 FMA") {
      // At most 128 lanes a multiprocessor, two FLOPs each, below 4 GHz.
      EXPECT_LT(peak.per_second, facts.multiprocessors * 128.0 * 2 * 4e9);
      EXPECT_GT(peak.per_second, facts.multiprocessors * 64.0 * 2 * 0.3e9);
    } else {
      EXPECT_GT(peak.per_second, 50e9) << peak.name;
      EXPECT_LT(peak.per_second, 100e12) << peak.name;
    }
  }
}

}  // namespace
}  // namespace ridgeline
