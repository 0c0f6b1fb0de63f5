#include "roofline/ncu_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(NcuMetricTest, EveryMetricIsFoundByItsOwnName) {
  for (std::size_t i = 0; i < kNcuMetrics; ++i) {
    const auto metric = static_cast<NcuMetric>(i);
    const auto reading = ncu_reading(name_of(metric), "");
    ASSERT_TRUE(reading) << name_of(metric);
    EXPECT_EQ(reading->metric, metric);
    EXPECT_EQ(reading->form, NcuForm::Sum);
  }
}

TEST(NcuMetricTest, RatesAndCountsACycleAreOtherFormsOfTheSame) {
  const auto rate = ncu_reading("dram__bytes.sum.per_second", "Gbyte/second");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->metric, NcuMetric::DramBytes);
  EXPECT_EQ(rate->form, NcuForm::PerSecond);
  const auto cycle =
      ncu_reading("sm__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", "");
  ASSERT_TRUE(cycle);
  EXPECT_EQ(cycle->metric, NcuMetric::Fadd);
  EXPECT_EQ(cycle->form, NcuForm::PerCycle);
  const auto twice = ncu_reading("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->metric, NcuMetric::Ffma);
  EXPECT_EQ(twice->form, NcuForm::PerCycle);
  EXPECT_EQ(twice->factor, 0.5);
}

TEST(NcuMetricTest, NewerChipsAndOlderToolsNameDramBytesDifferently) {
  EXPECT_EQ(ncu_reading("dram__bytes_op_read.sum", "byte")->metric, NcuMetric::DramRead);
  EXPECT_EQ(ncu_reading("dram__sectors_write.sum", "sector")->factor, 32);
}

TEST(NcuMetricTest, TheUnitTellsLabelsOfTheDetailsPageApart) {
  EXPECT_EQ(ncu_reading("Duration", "usecond")->metric, NcuMetric::Time);
  EXPECT_FALSE(ncu_reading("Memory Throughput", "%"));
  EXPECT_EQ(ncu_reading("Memory Throughput", "Gbyte/second")->metric, NcuMetric::DramBytes);
  EXPECT_EQ(ncu_reading("DRAM Throughput", "%")->metric, NcuMetric::DramPercent);
  EXPECT_FALSE(ncu_reading("Registers Per Thread", "register/thread"));
}

TEST(NcuMetricTest, PeaksAndStrangersAreNotTakenForSums) {
  EXPECT_FALSE(ncu_reading("dram__bytes.sum.peak_sustained", "byte/cycle"));
  EXPECT_FALSE(ncu_reading("dram__bytes.avg", "byte"));
  EXPECT_FALSE(ncu_reading("sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_on.sum", ""));
}

}  // namespace
}  // namespace ridgeline
