#include "roofline/ncu_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr ComputeCapability kTuring{.major = 7, .minor = 5};
constexpr ComputeCapability kAmpere{.major = 8, .minor = 0};
constexpr ComputeCapability kAda{.major = 8, .minor = 9};
constexpr ComputeCapability kHopper{.major = 9, .minor = 0};
constexpr ComputeCapability kBlackwell{.major = 10, .minor = 0};
constexpr ComputeCapability kSmallBlackwell{.major = 12, .minor = 0};

TEST(NcuCommandTest, TheCommandNamesTheEightMetrics) {
  EXPECT_EQ(ncu_command({}),
            "ncu --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed,"
            "dram__throughput.avg.pct_of_peak_sustained_elapsed,gpu__time_duration.sum,"
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,"
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,"
            "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,"
            "dram__bytes_read.sum,dram__bytes_write.sum --csv");
  EXPECT_THAT(ncu_command({.tensor = true}),
              testing::HasSubstr("sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  EXPECT_THAT(ncu_command({.also = {NcuMetric::L2Bytes}}), testing::HasSubstr("lts__t_bytes.sum"));
}

TEST(NcuCommandTest, NoMetricIsAskedForTwice) {
  EXPECT_EQ(ncu_command({.also = {NcuMetric::Fadd}}), ncu_command({}));
}

TEST(NcuCommandTest, AChipIsWhatItsComputeCapabilitySays) {
  EXPECT_EQ(compute_capability("9.0"), kHopper);
  EXPECT_EQ(compute_capability("12.0"), kSmallBlackwell);
  for (const std::string_view cell : {"", "9", "9.", ".0", "9.0.1", "x", "-9.0", "6.1", "9 .0"})
    EXPECT_FALSE(compute_capability(cell)) << cell;
}

TEST(NcuCommandTest, TheCommandHasTheNamesOfTheChip) {
  const std::string on_h100 = ncu_command({.tensor = true, .chip = kHopper});
  EXPECT_THAT(on_h100, HasSubstr("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_THAT(on_h100, HasSubstr("sm__ops_path_tensor_src_fp8.sum"));
  EXPECT_THAT(on_h100, Not(HasSubstr("src_fp16_dst")));
  const std::string on_a100 = ncu_command({.tensor = true, .chip = kAmpere});
  EXPECT_THAT(on_a100, HasSubstr("sm__ops_path_tensor_src_fp16_dst_fp32.sum"));
  EXPECT_THAT(on_a100, Not(HasSubstr("fp8")));
  EXPECT_THAT(ncu_command({.chip = kSmallBlackwell}), HasSubstr("dram__bytes_op_read.sum"));
}

TEST(NcuCommandTest, EveryCounterOfEveryChipIsUnderstood) {
  for (const ComputeCapability chip :
       {kTuring, kAmpere, kAda, kHopper, kBlackwell, kSmallBlackwell}) {
    for (const std::string_view name : tensor_counters(chip))
      EXPECT_TRUE(ncu_reading(name, "").has_value()) << name;
    EXPECT_THAT(tensor_counters(chip), Contains(HasSubstr("int8")));
  }
  EXPECT_THAT(tensor_counters(kTuring), Not(Contains(HasSubstr("src_bf16_dst"))));
}

TEST(NcuCommandTest, WhereTheChipIsNotKnownAWordSaysWhatOthersCallIt) {
  EXPECT_THAT(how_to_count({.tensor = true}), HasSubstr("on H100 and H200"));
  EXPECT_THAT(how_to_count({.tensor = true, .chip = kHopper}), Not(HasSubstr("(on")));
}

}  // namespace
}  // namespace ridgeline
