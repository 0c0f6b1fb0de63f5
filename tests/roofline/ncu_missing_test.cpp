#include "roofline/ncu_missing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kBf16 = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
constexpr std::string_view kTf32 = "sm__ops_path_tensor_src_tf32_dst_fp32.sum";
constexpr std::string_view kOp = "smsp__sass_thread_inst_executed_op_";
constexpr std::string_view kBf16Kernel = "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32";

std::vector<std::string> notes_of(const std::string& rows) {
  return missing_notes(parse_ncu_csv(std::string(kLongHeader) + "\n" + rows, "r.csv"));
}

std::string counter(std::string_view name, std::string_view value) {
  return long_row({"0", "k", name, "", value});
}

TEST(NcuMissingTest, TheEightMetricsAreEnough) {
  EXPECT_THAT(notes_of(whole_kernel("0", "gemm") + whole_kernel("1", "relu")), IsEmpty());
}

TEST(NcuMissingTest, KernelsOnTensorCoresWithoutTheirFlopsAreTold) {
  EXPECT_THAT(notes_of(whole_kernel("0", "ampere_h16816gemm_128x64")),
              ElementsAre(AllOf(HasSubstr("By their names 1 kernel ran on tensor cores (fp16"),
                                HasSubstr("too few")),
                          HasSubstr(kBf16)));
}

TEST(NcuMissingTest, CountersOfOtherFormatsDoNotMakeUpForThem) {
  for (const std::string_view value : {"0", "n/a"}) {
    EXPECT_THAT(notes_of(whole_kernel("0", kBf16Kernel) + counter(kTf32, value)),
                Contains(HasSubstr("1 kernel ran on tensor cores (bf16 tensor)")))
        << value;
  }
  EXPECT_THAT(
      notes_of(whole_kernel("0", kBf16Kernel) + counter(kTf32, "0") + counter(kBf16, "1,000")),
      IsEmpty());
}

TEST(NcuMissingTest, ACounterOfTheNamesFormatKnowsBetterThanTheName) {
  EXPECT_THAT(notes_of(whole_kernel("0", kBf16Kernel) + counter(kBf16, "0")), IsEmpty());
  EXPECT_THAT(notes_of(whole_kernel("0", "nvjet_tst") + counter(kBf16, "0")),
              Contains(HasSubstr("tensor cores, whose")));
}

TEST(NcuMissingTest, InstructionsOfTensorCoresWithoutFlopsAreTold) {
  EXPECT_THAT(
      notes_of(whole_kernel("0", "mine") + counter("sm__inst_executed_pipe_tensor.sum", "512")),
      Contains(testing::StartsWith("1 kernel ran on tensor cores")));
}

TEST(NcuMissingTest, KernelsOfTheVectorUnitsAreNotTakenForTensorCores) {
  EXPECT_THAT(
      notes_of(
          whole_kernel("0", "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_ffma_aligna4") +
          whole_kernel("1", "sm80_xmma_fprop_implicit_gemm_f32f32_simt_small")),
      IsEmpty());
}

TEST(NcuMissingTest, HalfAndDoubleAreMissedWhereTheFileHasSomeOrAKernelIsNamedAfterThem) {
  const std::string dadd = fmt::format("{}dadd_pred_on.sum", kOp);
  const auto some = notes_of(whole_kernel("0", "k") + counter(dadd, "0"));
  ASSERT_EQ(some.size(), 2U);
  EXPECT_THAT(some[0], AllOf(HasSubstr("hfma_pred_on"), HasSubstr("dfma_pred_on"),
                             Not(HasSubstr("dadd_pred_on"))));
  const auto named = notes_of(whole_kernel("0", "add<double>"));
  ASSERT_EQ(named.size(), 2U);
  EXPECT_THAT(named[0], AllOf(HasSubstr("dfma_pred_on"), Not(HasSubstr("hfma_pred_on"))));
  EXPECT_THAT(notes_of(whole_kernel("0", "relu<c10::Half>")), IsEmpty()) << "computes in fp32";
}

TEST(NcuMissingTest, OneCommandCollectsWhatIsMissingAndWhatIsThere) {
  const std::string hadd = fmt::format("{}hadd_pred_on.sum", kOp);
  const auto notes = notes_of(whole_kernel("0", kBf16Kernel) + counter(hadd, "0") +
                              counter("lts__t_bytes.sum", "1"));
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_THAT(notes[0], Not(HasSubstr("ncu --metrics")));
  EXPECT_THAT(notes[1], Not(HasSubstr("ncu --metrics")));
  EXPECT_THAT(notes[2], AllOf(HasSubstr("ncu --metrics sm__throughput"), HasSubstr("hadd_pred_on"),
                              HasSubstr("dfma_pred_on"), HasSubstr("lts__t_bytes.sum"),
                              HasSubstr(kBf16), HasSubstr(kTf32)));
}

TEST(NcuMissingTest, ALineForAFileThatIsRefusedKeepsWhatItHas) {
  const NcuReport report = parse_ncu_csv(long_csv({{"0", "k", kBf16, "", "5"}}), "r.csv");
  EXPECT_TRUE(whole_collection(report).tensor);
}

}  // namespace
}  // namespace ridgeline
