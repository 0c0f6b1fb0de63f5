#include "measure/peaks.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

MeasuredPeak peak(std::string name, int threads, double rate,
                  ComputePath path = ComputePath::Fp32) {
  return {.name = std::move(name),
          .path = path,
          .threads = threads,
          .per_second = rate,
          .low = 0.99 * rate,
          .high = 1.01 * rate};
}

TEST(BestLikeTest, IsTheLargerOfProductAndFmaOnTheProductsThreads) {
  const std::vector<MeasuredPeak> peaks{peak("fp32", 2, 227e9), peak("fp32 AVX2", 2, 300e9),
                                        peak("fp32 AVX-512", 2, 560e9),
                                        peak("fp32 AVX-512", 1, 900e9)};
  EXPECT_EQ(best_like(peaks, "fp32")->per_second, 560e9);
}

TEST(BestLikeTest, AProductFasterThanFmaStaysThePeak) {
  const std::vector<MeasuredPeak> peaks{peak("fp32 AVX-512", 2, 560e9), peak("fp32", 2, 570e9)};
  EXPECT_EQ(best_like(peaks, "fp32")->name, "fp32");
}

TEST(BestLikeTest, MatrixUnitsAreNotComparedWithVectors) {
  const std::vector<MeasuredPeak> peaks{peak("bf16", 2, 100e9, ComputePath::TensorBf16),
                                        peak("fp32 AVX-512", 2, 560e9)};
  EXPECT_EQ(best_like(peaks, "bf16")->per_second, 100e9);
  EXPECT_FALSE(best_like(peaks, "fp16"));
}

TEST(WhyUnfitTest, SaysWhatIsWrongWithAPeakThatIsNotKept) {
  MeasuredPeak known = peak("fp32", 2, 100);
  EXPECT_EQ(why_unfit(known), "");
  known.high = 133;
  EXPECT_EQ(why_unfit(known), "the interval of the fp32 peak is 34 % wide");
  known.shared = true;
  EXPECT_EQ(why_unfit(known), "the threads of the fp32 peak had to share their cores");
  known.too_low = true;
  EXPECT_EQ(why_unfit(known), "the fp32 peak is far below the FMA of one thread");
  known = peak("copy", 2, 100);
  known.low.reset();
  EXPECT_EQ(why_unfit(known), "the copy peak has no interval");
}

}  // namespace
}  // namespace ridgeline
