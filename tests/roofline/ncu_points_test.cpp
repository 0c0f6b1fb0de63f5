#include "roofline/ncu_points.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/mapped_file.h"
#include "roofline/ncu_file.h"
#include "roofline/ncu_notes.h"
#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::Contains;
using testing::HasSubstr;

NcuPoints points_in(const std::string& text) { return points_of(parse_ncu_csv(text, "file.csv")); }

constexpr std::string_view kTensor = "sm__ops_path_tensor_src_";

TEST(NcuPointsTest, FlopsAreAddsAndMultipliesAndTwiceTheFusedOnes) {
  const NcuPoints read = points_in(good_long_csv());
  ASSERT_EQ(read.points.size(), 2U);
  const RooflinePoint& point = read.points.front();
  EXPECT_DOUBLE_EQ(point.total_flop().count, 10000);
  EXPECT_DOUBLE_EQ(point.flop[index_of(ComputePath::Fp32)].count, 10000);
  EXPECT_DOUBLE_EQ(point.of(MemoryLevel::Dram)->count, 2000);
  EXPECT_FALSE(point.of(MemoryLevel::L2));
  EXPECT_DOUBLE_EQ(point.time.count(), 10e-6);
  EXPECT_DOUBLE_EQ(point.sm_percent.value(), 40.25);
  EXPECT_EQ(point.kind, OpKind::Matmul);
  EXPECT_EQ(point.detail, "(64, 1, 1) × (128, 1, 1)");
  EXPECT_DOUBLE_EQ(read.totals.fadd.value(), 2000);
  EXPECT_DOUBLE_EQ(read.totals.dram_write->count, 1000);
  EXPECT_TRUE(read.left_out.empty());
  EXPECT_TRUE(read.notes.empty()) << read.notes.front();
}

TEST(NcuPointsTest, RatesOfTheRawPageBecomeSums) {
  const NcuPoints read = points_in(std::string(kGoodWideCsv));
  ASSERT_EQ(read.points.size(), 2U);
  EXPECT_DOUBLE_EQ(read.points[0].total_flop().count, (100 + 50 + 1000) * 3e6);
  EXPECT_DOUBLE_EQ(read.points[0].of(MemoryLevel::Dram)->count, 0.4e9);
  EXPECT_DOUBLE_EQ(read.points[0].of(MemoryLevel::L2)->count, 600e6);
  EXPECT_DOUBLE_EQ(read.points[0].waves.value(), 0.5);
  EXPECT_EQ(read.device_name, "NVIDIA L4");
}

TEST(NcuPointsTest, TensorCountsAreFlopsAlreadyAndASumHidesItsParts) {
  const std::string text =
      good_long_csv() +
      long_row({"0", "gemm", fmt::format("{}bf16_dst_fp32.sum", kTensor), "", "1,000,000"}) +
      long_row({"1", "relu", fmt::format("{}bf16_dst_fp32.sum", kTensor), "", "0"}) +
      long_row({"0", "gemm", fmt::format("{}fp16.sum", kTensor), "", "500"}) +
      long_row({"1", "relu", fmt::format("{}fp16.sum", kTensor), "", "0"}) +
      long_row({"0", "gemm", fmt::format("{}fp16_dst_fp32.sum", kTensor), "", "500"});
  const NcuPoints read = points_in(text);
  ASSERT_EQ(read.points.size(), 2U);
  EXPECT_DOUBLE_EQ(read.points[0].flop[index_of(ComputePath::TensorBf16)].count, 1e6);
  EXPECT_DOUBLE_EQ(read.points[0].flop[index_of(ComputePath::TensorFp16)].count, 500);
  EXPECT_EQ(read.points[0].main_path(), ComputePath::TensorBf16);
}

TEST(NcuPointsTest, AnOverflowedCounterOrADroppedPassLeavesTheKernelOut) {
  std::string text = good_long_csv() + whole_kernel("2", "over") + whole_kernel("3", "dropped");
  const auto replace = [&](const std::string& what, const std::string& with, std::size_t from) {
    const std::size_t at = text.find(what, from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, what.size(), with);
  };
  replace("\"3,500\"", "\"18,446,744,073,709,551,615\"", text.find("\"over\""));
  replace("\"1.5\"", "\"n/a\"", text.find("\"dropped\""));
  const NcuPoints read = points_in(text);
  ASSERT_EQ(read.points.size(), 2U);
  ASSERT_EQ(read.left_out.size(), 2U);
  EXPECT_EQ(read.left_out[0].kernel, "over");
  EXPECT_THAT(read.left_out[0].reason, HasSubstr("ffma_pred_on.sum overflowed"));
  EXPECT_EQ(read.left_out[1].reason, "dram__bytes_read.sum is n/a");
  EXPECT_DOUBLE_EQ(read.totals.ffma.value(), 7000);
  EXPECT_THAT(read.notes, Contains(HasSubstr("Left out of every sum: 2 of 4 kernels, 20.0 µs")));
}

TEST(NcuPointsTest, ACutFileLosesItsLastKernelAndSaysSo) {
  const std::string whole = good_long_csv();
  const std::size_t last_time = whole.rfind("fmul_pred_on");
  const NcuPoints read = points_in(whole.substr(0, last_time));
  EXPECT_EQ(read.points.size(), 1U);
  EXPECT_EQ(read.left_out.size(), 1U);
  EXPECT_THAT(read.notes, Contains(HasSubstr("cut off")));
}

TEST(NcuPointsTest, MissingMetricsAreNamedWithTheCommandThatCollectsThem) {
  const std::string message = message_of(Fault::BadInput, [] {
    (void)points_in(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "1"},
                              {"0", "k", "dram__bytes_read.sum", "byte", "1"}}));
  });
  EXPECT_THAT(message, HasSubstr("file.csv"));
  EXPECT_THAT(message, HasSubstr("no smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"));
  EXPECT_THAT(message, HasSubstr("dram__bytes_write.sum; collect them with: ncu --metrics sm__"));
  EXPECT_THAT(message, testing::Not(HasSubstr("dram__bytes_read.sum,  ")));
  EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
}

TEST(NcuPointsTest, AnUnreadableMetricIsNotCalledMissingAlone) {
  std::string text = std::string(kLongHeader) + "\n" + whole_kernel("0", "k");
  text.replace(text.find("\"10\""), 4, "\"1*0\"");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)points_in(text); }),
              HasSubstr("no gpu__time_duration.sum; not used: a value that is no number, '1*0'"));
  text += whole_kernel("1", "k");
  EXPECT_THAT(points_in(text).notes, Contains("Not used: a value that is no number, '1*0'."));
}

TEST(NcuPointsTest, AColumnOfWhichNoKernelHasAValueIsNotAskedFor) {
  // As ncu writes a counter that the chip has not.
  std::string text = good_long_csv();
  for (const std::string_view id : {"0", "1"})
    text += long_row({id, "gemm", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "", "n/a"});
  EXPECT_EQ(points_of(parse_ncu_csv(text, "r.csv")).points.size(), 2U);
  // Where one kernel has it, the other is not whole.
  text += long_row({"1", "gemm", "sm__ops_path_tensor_src_fp16_dst_fp16.sum", "", "5"});
  text += long_row({"0", "gemm", "sm__ops_path_tensor_src_fp16_dst_fp16.sum", "", "n/a"});
  EXPECT_EQ(points_of(parse_ncu_csv(text, "r.csv")).points.size(), 1U);
}

TEST(NcuPointsTest, AReportThatIsThereTwiceIsTold) {
  const std::string text = good_long_csv() + whole_kernel("0", "gemm") + whole_kernel("1", "relu");
  const NcuPoints points = points_of(parse_ncu_csv(text, "r.csv"));
  EXPECT_EQ(points.points.size(), 2U);
  EXPECT_THAT(points.notes, testing::Contains(HasSubstr("16 of 32 rows repeat")));
}

TEST(NcuPointsTest, AFileThatIsCutWithinItsFirstKernelIsSaidToBe) {
  const std::string text = std::string(kLongHeader) + "\n" + whole_kernel("0", "gemm");
  const std::string cut = text.substr(0, text.find("dram__bytes_read"));
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)points_of(parse_ncu_csv(cut, "r.csv")); }),
              HasSubstr("cut short within its first kernel"));
}

TEST(NcuPointsTest, ASecondValueIsTold) {
  const std::string text =
      good_long_csv() + long_row({"0", "gemm", "gpu__time_duration.sum", "usecond", "70"});
  EXPECT_THAT(points_of(parse_ncu_csv(text, "r.csv")).notes,
              testing::Contains(HasSubstr("1 values of metrics that their kernel had already")));
}

TEST(NcuPointsTest, AFileOfNothingButBadKernelsIsRefused) {
  std::string text = std::string(kLongHeader) + "\n" + whole_kernel("0", "k");
  text.replace(text.find("\"10\""), 4, "\"0\"");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)points_in(text); }),
              HasSubstr("none of its 1 kernels is whole; of the first, its time is zero"));
}

TEST(NcuPointsTest, DramsOwnPercentageImpliesTheCardsBandwidth) {
  // 2000 bytes in 10 µs at 50 %.
  EXPECT_DOUBLE_EQ(implied_dram_bandwidth(points_in(good_long_csv()).points)->value, 400e6);
}

TEST(NcuPointsTest, ARealFileAgreesWithSumsMadeByAnotherProgram) {
  const std::filesystem::path file = "../shared/data/ncu/resnet18_bs64_l4.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  const NcuPoints read = read_ncu_file(file);
  EXPECT_EQ(read.points.size(), 98U);
  EXPECT_TRUE(read.left_out.empty());
  // Added up from the same file by a few lines of Python.
  const RooflinePoint total = total_of(read.points, "step");
  EXPECT_NEAR(total.time.count(), 0.00737625, 1e-9);
  EXPECT_DOUBLE_EQ(total.total_flop().count, 4928393620);
  EXPECT_NEAR(read.totals.dram_read->count, 607558840, 1);
  EXPECT_NEAR(read.totals.dram_write->count, 102390000, 1);
  EXPECT_NEAR(total.sm_percent.value(), 13.70497, 1e-4);
  EXPECT_NEAR(total.dram_percent.value(), 32.14027, 1e-4);
  EXPECT_EQ(read.points.front().phase, "train_step/forward");
  EXPECT_EQ(read.points.back().phase, "train_step/optimizer_step");
  EXPECT_NEAR(implied_dram_bandwidth(read.points)->value, 297e9, 6e9);
}

}  // namespace
}  // namespace ridgeline
