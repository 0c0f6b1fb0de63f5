#include "roofline/counters.h"

#include <cmath>

#include <gtest/gtest.h>

#include "roofline/ncu_points.h"

namespace ridgeline {
namespace {

const std::vector<std::string> kMetrics{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                                        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                                        "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
                                        "dram__bytes_read.sum",
                                        "dram__bytes_write.sum",
                                        "lts__t_bytes.sum"};

TEST(CountersTest, EveryCounterThatIsAskedForIsUnderstood) {
  const std::vector<std::string> metrics = roofline_counters();
  EXPECT_GE(metrics.size(), 15);
  for (const std::string& metric : metrics)
    EXPECT_TRUE(ncu_reading(metric, "").has_value()) << metric;
}

TEST(CountersTest, ReadingsBecomePointsByTheDefinitionsOfAFile) {
  const NcuReport report = report_of(
      kMetrics, {{.name = "gemm", .time = Seconds{1e-3}, .values = {10, 20, 1000, 64, 32, 200}}},
      "counters");
  const NcuPoints points = points_of(report);
  ASSERT_EQ(points.points.size(), 1);
  const RooflinePoint& point = points.points[0];
  EXPECT_EQ(point.label, "gemm");
  EXPECT_EQ(point.detail, "");
  EXPECT_EQ(point.phase, "");
  EXPECT_EQ(point.time.count(), 1e-3);
  EXPECT_EQ(point.flop[index_of(ComputePath::Fp32)].count, 50);  // a fused one is two
  EXPECT_EQ(point.flop[index_of(ComputePath::TensorBf16)].count, 1000);
  EXPECT_EQ(point.of(MemoryLevel::Dram)->count, 96);
  EXPECT_EQ(point.of(MemoryLevel::L2)->count, 200);
}

TEST(CountersTest, ACounterThatWasNotReadLeavesItsKernelOutWithTheReason) {
  const NcuReport report = report_of(
      kMetrics,
      {{.name = "whole", .time = Seconds{1e-3}, .values = {0, 0, 0, 1, 1, 1}},
       {.name = "broken", .time = Seconds{2e-3}, .values = {0, 0, std::nan(""), 1, 1, 1}}},
      "counters");
  const NcuPoints points = points_of(report);
  ASSERT_EQ(points.points.size(), 1);
  ASSERT_EQ(points.left_out.size(), 1);
  EXPECT_EQ(points.left_out[0].kernel, "broken");
  EXPECT_NE(points.left_out[0].reason.find("bf16"), std::string::npos);
}

}  // namespace
}  // namespace ridgeline
