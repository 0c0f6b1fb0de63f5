#include "measure/loader_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "data/synthetic_images.h"

namespace ridgeline {
namespace {

using nlohmann::json;

LoaderBench small_bench(int workers) {
  LoaderBench bench{.label = "rrc16", .transform = parse_transform("rrc16"), .image_size = 8};
  bench.loader.batch_size = 4;
  bench.loader.workers = workers;
  bench.plan.warmup_steps = 0;
  bench.plan.measure_steps = 2;
  return bench;
}

TEST(LoaderBenchTest, ARowHoldsRatesThatFollowFromItsTimes) {
  const ImageData data = make_synthetic_images({.train = 16, .test = 0, .size = 8});
  for (const int workers : {0, 2}) {
    const json row = measure_loader(*data.train, small_bench(workers), {});
    ASSERT_EQ(row.at("outcome"), "measured") << row.dump();
    EXPECT_EQ(row.at("settings").at("workers"), workers);
    EXPECT_EQ(row.at("phases").at("total").at("count"), 2);
    const double median = row.at("phases").at("total").at("median_s");
    const double rate = row.at("samples_per_s");
    EXPECT_DOUBLE_EQ(rate, 4 / median);
    EXPECT_DOUBLE_EQ(row.at("written_bytes_per_s").get<double>(), rate * 16 * 16 * 3 * 4);
    EXPECT_GT(row.at("samples_per_cpu_s").get<double>(), 0);
    EXPECT_GT(row.at("peak").at("bytes_per_s").get<double>(), 0);
  }
}

TEST(LoaderBenchTest, WhatCannotBeMeasuredIsAFailedRow) {
  const ImageData data = make_synthetic_images({.train = 3, .test = 0, .size = 8});
  const json row = measure_loader(*data.train, small_bench(1), {});
  EXPECT_EQ(row.at("outcome"), "failed");
  EXPECT_EQ(row.at("fault"), "bad_input");
  EXPECT_EQ(row.at("reason"), "3 images make no batch of 4");
}

TEST(LoaderBenchTest, AnInterruptBeforeTheFirstSampleIsAFailedRow) {
  const ImageData data = make_synthetic_images({.train = 16, .test = 0, .size = 8});
  SampleHooks hooks;
  hooks.interrupted = [] { return true; };
  EXPECT_EQ(measure_loader(*data.train, small_bench(0), hooks).at("outcome"), "failed");
}

TEST(LoaderBenchTest, RowsAreDescribedByWhatTellsThemApart) {
  EXPECT_EQ(describe(small_bench(0)), "rrc16, batch 4, no workers");
  EXPECT_EQ(describe(small_bench(1)), "rrc16, batch 4, 1 worker");
  EXPECT_EQ(describe(small_bench(3)), "rrc16, batch 4, 3 workers");
}

}  // namespace
}  // namespace ridgeline
