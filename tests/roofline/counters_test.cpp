#include "roofline/counters.h"

#include <cmath>

#include <gtest/gtest.h>

#include "roofline/ncu_metric.h"

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

TEST(CountersTest, ReadingsMeanWhatTheyMeanInAFileOfNcu) {
  const std::vector<double> values{10, 20, 1000, 64, 32, 200};
  const CountedKernel kernel = counted_kernel("gemm", kMetrics, values);
  EXPECT_EQ(kernel.name, "gemm");
  EXPECT_EQ(kernel.flop[index_of(ComputePath::Fp32)]->count, 50);  // a fused one is two
  EXPECT_EQ(kernel.flop[index_of(ComputePath::TensorBf16)]->count, 1000);
  EXPECT_FALSE(kernel.flop[index_of(ComputePath::Fp64)].has_value()) << "nobody asked";
  EXPECT_EQ(kernel.bytes[index_of(MemoryLevel::Dram)]->count, 96);
  EXPECT_EQ(kernel.bytes[index_of(MemoryLevel::L2)]->count, 200);
  EXPECT_FALSE(kernel.bytes[index_of(MemoryLevel::L1)].has_value());
  EXPECT_EQ(kernel.totals.ffma, 20);
  EXPECT_EQ(kernel.totals.dram_write->count, 32);
  EXPECT_FALSE(kernel.totals.fmul.has_value());
}

TEST(CountersTest, ACounterThatOverflowedOrWasLostMakesAPartOfAKernel) {
  std::vector<double> values{10, 20, 1000, 64, 32, 200};
  EXPECT_FALSE(counted_kernel("gemm", kMetrics, values).is_partial);
  for (const double wrong : {std::nan(""), -1.0, 0x1p63}) {
    values[1] = wrong;
    EXPECT_TRUE(counted_kernel("gemm", kMetrics, values).is_partial) << wrong;
  }
}

TEST(CountersTest, WhatACounterThatWasNotReadCountsIsAbsent) {
  const double lost = std::nan("");
  const std::vector<double> values{10, lost, 1000, 64, lost, 200};
  const CountedKernel kernel = counted_kernel("gemm", kMetrics, values);
  EXPECT_FALSE(kernel.flop[index_of(ComputePath::Fp32)].has_value()) << "half of it is no sum";
  EXPECT_EQ(kernel.flop[index_of(ComputePath::TensorBf16)]->count, 1000);
  EXPECT_FALSE(kernel.bytes[index_of(MemoryLevel::Dram)].has_value());
}

TEST(CountersTest, PartsCountOnlyWhereTheirSumWasNotRead) {
  const std::vector<std::string> parts{"sm__ops_path_tensor_src_fp16_dst_fp16.sum",
                                       "sm__ops_path_tensor_src_fp16_dst_fp32.sum"};
  const auto fp16 = [](const std::vector<std::string>& metrics, const std::vector<double>& values) {
    return counted_kernel("gemm", metrics, values).flop[index_of(ComputePath::TensorFp16)]->count;
  };
  EXPECT_EQ(fp16(parts, {3, 4}), 7);
  EXPECT_EQ(fp16({parts[0], parts[1], "sm__ops_path_tensor_src_fp16.sum"}, {3, 4, 9}), 9);
}

TEST(CountersTest, DramHasAnotherSpellingOnSomeChips) {
  const std::vector<std::string> metrics{"dram__bytes_op_read.sum", "dram__bytes_op_write.sum"};
  const std::vector<double> values{5, 6};
  EXPECT_EQ(counted_kernel("k", metrics, values).bytes[index_of(MemoryLevel::Dram)]->count, 11);
}

TEST(CountersTest, WhatAnotherSpellingCountsIsNotMissing) {
  const std::vector<std::string> unsupported{"sm__ops_path_tensor_src_fp16.sum",
                                             "dram__bytes_read.sum",
                                             "sm__ops_path_tensor_src_fp64.sum"};
  EXPECT_EQ(not_counted(unsupported), std::vector<std::string>{"sm__ops_path_tensor_src_fp64.sum"});
  EXPECT_EQ(not_counted(roofline_counters()).size(), 19U);
}

}  // namespace
}  // namespace ridgeline
