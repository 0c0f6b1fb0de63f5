#include "measure/known_peaks.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

MeasuredPeak made(const std::string& name, double rate, double width) {
  return {.name = name,
          .path = ComputePath::Fp32,
          .threads = 2,
          .per_second = rate,
          .low = rate * (1 - width / 2),
          .high = rate * (1 + width / 2),
          .samples = 11,
          .at = "somewhere"};
}

class CacheIn {
 public:
  explicit CacheIn(const std::filesystem::path& folder) {
    ::setenv("RIDGELINE_CACHE", folder.c_str(), 1);
  }
  ~CacheIn() { ::unsetenv("RIDGELINE_CACHE"); }
  CacheIn(const CacheIn&) = delete;
  CacheIn& operator=(const CacheIn&) = delete;
};

// A machine for each test: what a process measured it remembers.
class KnownPeaksTest : public testing::Test {
 protected:
  [[nodiscard]] static PeakKey machine() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return {.machine = test->name(), .threads = 2, .cores = 2, .torch = "2.11.0"};
  }

  TemporaryFolder folder_;
  CacheIn cache_{folder_.path()};  // before who looks where it is
  KnownPeaks known_{machine()};
};

TEST_F(KnownPeaksTest, ARestlessPeakServesThisProcessAlone) {
  const MeasuredPeak restless = made("fp32", 1e11, 0.5);
  known_.keep({restless});
  EXPECT_EQ(known_.find(restless)->per_second, 1e11);
  PeakKey key = machine();
  key.dtype = "fp32";
  const PeakCache cache(*default_peak_file());
  EXPECT_FALSE(cache.find(key)) << "it is not for later ones";
  known_.keep({made("fp32", 2e11, 0.01)});
  EXPECT_EQ(known_.find(restless)->per_second, 2e11) << "a steady one comes before it";
  EXPECT_TRUE(cache.find(key));
}

TEST_F(KnownPeaksTest, ARestlessMeasurementForgetsWhatWasKept) {
  known_.keep({made("fp32", 1e9, 0.01)});
  known_.keep({made("fp32", 1e11, 0.5)});
  EXPECT_EQ(known_.find(made("fp32", 1, 0))->per_second, 1e11);
}

TEST_F(KnownPeaksTest, AllIsKnownOnceAllOfItWasSteady) {
  const std::vector some{made("fp32", 1e11, 0.01)};
  const std::vector all{some.front(), made("fp32 AVX2", 1e11, 0.5)};
  known_.keep_all(all, all);
  EXPECT_FALSE(known_.find_all());
  const std::vector calm{made("fp32 AVX2", 1e11, 0.01)};
  known_.keep_all(calm, {some.front(), calm.front()});
  EXPECT_EQ(known_.find_all()->size(), 2U);
}

}  // namespace
}  // namespace ridgeline
