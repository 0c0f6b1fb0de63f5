#include "roofline/peak.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using nlohmann::json;

MeasuredPeak fma(int threads, double rate) {
  return {.name = "fp32 AVX2",
          .path = ComputePath::Fp32,
          .threads = threads,
          .per_second = rate,
          .low = 0.97 * rate,
          .high = 1.02 * rate,
          .samples = 11,
          .at = "here"};
}

TEST(PeakTest, TheSpreadIsTheWidthOfTheInterval) {
  EXPECT_DOUBLE_EQ(*spread_of(fma(1, 100)), 0.05);
  EXPECT_TRUE(is_steady(fma(1, 100)));
  MeasuredPeak wide = fma(1, 100);
  wide.low = 89;
  EXPECT_FALSE(is_steady(wide));
}

TEST(PeakTest, WithoutAnIntervalNothingSaysThatItWasSteady) {
  MeasuredPeak peak = fma(1, 100);
  peak.low.reset();
  EXPECT_FALSE(spread_of(peak));
  EXPECT_FALSE(is_steady(peak));
}

TEST(PeakTest, AProductFarBelowOneThreadsFmaIsTooLowHoweverSteady) {
  // Threads that wait for each other on one core: 1.05 ± 1.6 % where 108 are usual.
  MeasuredPeak product{.name = "fp32", .path = ComputePath::Fp32, .threads = 2, .per_second = 1.05};
  const std::vector<MeasuredPeak> fma_of_one{fma(1, 90), fma(2, 180)};
  EXPECT_TRUE(is_too_low(product, fma_of_one));
  product.per_second = 30;
  EXPECT_FALSE(is_too_low(product, fma_of_one));
  product.per_second = 1.05;
  EXPECT_FALSE(is_too_low(product, {})) << "nothing to hold it against";
  MeasuredPeak busy = fma(1, 90);
  busy.shared = true;
  EXPECT_TRUE(is_too_low(product, std::vector{busy})) << "in peace it would be faster still";
  product.name = "bf16";
  product.path = ComputePath::TensorBf16;
  EXPECT_TRUE(is_too_low(product, fma_of_one)) << "no FMA in its format: fp32's";
  EXPECT_FALSE(is_too_low(fma(2, 1), fma_of_one)) << "scalar FMA is no product";
  product.threads = 0;
  EXPECT_FALSE(is_too_low(product, fma_of_one)) << "of a GPU";
}

TEST(PeakTest, OneThatIsTooLowIsNotSteadyAndNoCeiling) {
  MeasuredPeak low = fma(2, 100);
  low.name = "fp32";
  low.too_low = true;
  EXPECT_FALSE(is_steady(low));
  EXPECT_TRUE(parse_peak(to_json(low))->too_low);
  EXPECT_TRUE(ceilings_of_peaks(std::vector{low}, "here", 2).empty());
}

TEST(PeakTest, CeilingsKeepTheIntervalsOfTheirPeaks) {
  MeasuredPeak read{.name = "DRAM read",
                    .is_bandwidth = true,
                    .level = MemoryLevel::Dram,
                    .threads = 2,
                    .per_second = 20,
                    .low = 15,
                    .high = 22};
  const Ceilings calm = ceilings_of_peaks(std::vector{fma(2, 100)}, "here", 2);
  EXPECT_EQ(calm.source, "measured here");
  EXPECT_DOUBLE_EQ(calm.compute_interval[index_of(ComputePath::Fp32)]->low, 97);
  EXPECT_EQ(restless_peaks(calm), "");
  const Ceilings busy = ceilings_of_peaks(std::vector{fma(2, 100), read}, "here", 2);
  EXPECT_EQ(busy.source, "measured here on a busy machine");
  EXPECT_EQ(restless_peaks(busy), "DRAM (± 25.0 %)");
}

TEST(PeakTest, CeilingsAreTheBestOfTheThreadsAskedFor) {
  std::vector<MeasuredPeak> peaks{fma(1, 50), fma(2, 95), fma(2, 100)};
  peaks.push_back({.name = "DRAM read",
                   .is_bandwidth = true,
                   .level = MemoryLevel::Dram,
                   .threads = 2,
                   .per_second = 20});
  peaks.push_back({.name = "fp32", .path = ComputePath::Fp32, .per_second = 60});
  const Ceilings all = ceilings_of_peaks(peaks, "box", 0);
  EXPECT_EQ(all.machine, "box");
  EXPECT_EQ(all.source, "measured here");
  EXPECT_EQ(all.of(ComputePath::Fp32)->value, 100);
  EXPECT_EQ(all.of(MemoryLevel::Dram)->value, 20);
  EXPECT_FALSE(all.of(ComputePath::Fp64));
  // The library's product, whose threads are its own, counts with any number.
  const Ceilings one = ceilings_of_peaks(peaks, "box", 1);
  EXPECT_EQ(one.of(ComputePath::Fp32)->value, 60);
  EXPECT_FALSE(one.of(MemoryLevel::Dram));
}

TEST(PeakTest, JsonBringsAllOfItBack) {
  const MeasuredPeak peak = fma(4, 1.0 / 3 * 1e12);
  const auto read = parse_peak(to_json(peak));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, peak.name);
  EXPECT_EQ(read->path, peak.path);
  EXPECT_EQ(read->level, peak.level);
  EXPECT_EQ(read->threads, 4);
  EXPECT_EQ(read->per_second, peak.per_second);
  EXPECT_EQ(read->low, peak.low);
  EXPECT_EQ(read->high, peak.high);
  EXPECT_EQ(read->samples, 11U);
  EXPECT_EQ(read->at, "here");
  EXPECT_FALSE(read->is_bandwidth);
}

TEST(PeakTest, WhatIsNoPeakIsRefused) {
  for (const char* text :
       {R"(1)", R"({})", R"({"name": "x"})", R"({"name": "", "flop_per_s": 1})",
        R"({"name": "x", "flop_per_s": 0})", R"({"name": "x", "flop_per_s": "1"})",
        R"({"name": 1, "flop_per_s": 1})", R"({"name": "x", "flop_per_s": 1, "path": "fp33"})",
        R"({"name": "x", "bytes_per_s": 1, "level": "L9"})"})
    EXPECT_FALSE(parse_peak(json::parse(text))) << text;
  const auto odd = parse_peak(
      json::parse(R"({"name": "x", "flop_per_s": 1, "threads": -3, "samples": "many"})"));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->threads, 0);
  EXPECT_EQ(odd->samples, 0U);
}

TEST(PeakTest, RatesAreWrittenInTheirSize) {
  EXPECT_EQ(rate_text(178.84e9, false), "178.8 GFLOP/s");
  EXPECT_EQ(rate_text(4.312e12, true), "4.312 TB/s");
  EXPECT_EQ(rate_text(12e6, true), "12 MB/s");
}

}  // namespace
}  // namespace ridgeline
