#include "report/peak_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json peak(const char* name, const char* unit, double rate, int threads) {
  return {{"name", name},
          {unit, rate},
          {"low_per_s", 0.99 * rate},
          {"high_per_s", 1.02 * rate},
          {"samples", 11},
          {"threads", threads},
          {"reached_with", "a shape"}};
}

Json host_peaks() {
  Json fma = peak("fp32 AVX2", "flop_per_s", 100e9, 2);
  fma["path"] = "fp32";
  Json few = fma;
  few["threads"] = 1;
  Json dram = peak("DRAM read", "bytes_per_s", 20e9, 2);
  dram["level"] = "DRAM";
  return {{"machine", "Some CPU"}, {"threads", 2}, {"peaks", {dram, fma, few}}};
}

TEST(PeakReportTest, ComputeComesFirstAndFewThreadsBeforeMany) {
  const CsvTable table = peaks_csv(host_peaks());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[0], ElementsAre("fp32 AVX2", "1", "1e+11", "FLOP/s", "9.9e+10", "1.02e+11",
                                         "11", "a shape"));
  EXPECT_EQ(table.rows[1][1], "2");
  EXPECT_EQ(table.rows[2][0], "DRAM read");
  EXPECT_EQ(table.rows[2][3], "byte/s");
}

TEST(PeakReportTest, AHostHasThreadsAndNoDatasheet) {
  const ReaderTable table = peaks_reader_table(host_peaks());
  ASSERT_EQ(table.columns.size(), 5U);
  EXPECT_THAT(table.rows[0], ElementsAre("fp32 AVX2", "1", "100 GFLOP/s", "± 2.0 %", "a shape"));
}

TEST(PeakReportTest, AKnownCardIsHeldAgainstItsDatasheet) {
  Json bf16 = peak("bf16", "flop_per_s", 771e12, 0);
  bf16["path"] = "bf16 tensor";
  Json link = peak("host to device", "bytes_per_s", 55e9, 0);
  link["high_per_s"] = 80e9;
  const Json card{{"machine", "NVIDIA H200"}, {"peaks", {link, bf16}}};
  const ReaderTable table = peaks_reader_table(card);
  EXPECT_THAT(table.rows[0], ElementsAre("bf16", "771 TFLOP/s", "± 2.0 %", "78.0 %", "a shape"));
  EXPECT_THAT(table.rows[1],
              ElementsAre("host to device", "55 GB/s", "± 45.5 % (busy)", "–", "a shape"));
}

TEST(PeakReportTest, TheSectionHasTheTableAndTheNotes) {
  Json peaks = host_peaks();
  peaks["notes"] = {"a <note>"};
  const auto section = peaks_section(peaks);
  ASSERT_TRUE(section);
  EXPECT_THAT(section->body, HasSubstr("fp32 AVX2"));
  EXPECT_THAT(section->body, HasSubstr("a &lt;note&gt;"));
  EXPECT_FALSE(peaks_section(std::nullopt));
}

TEST(PeakReportTest, TheRoofIsThatOfTheThreadsAskedFor) {
  const auto scene = peaks_scene(host_peaks());
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->roofs.size(), 2U);
  EXPECT_FALSE(peaks_scene({{"machine", "x"}, {"peaks", Json::array()}}));
  EXPECT_FALSE(peaks_scene({{"machine", "x"}}));
}

}  // namespace
}  // namespace ridgeline
