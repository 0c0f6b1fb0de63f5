#include "roofline/ncu_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "roofline/ncu_quantity.h"
#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

NcuReport parsed(const std::string& text) { return parse_ncu_csv(text, "file.csv"); }

double value_of(const NcuReport& report, std::size_t kernel, NcuMetric metric) {
  const Quantity quantity = ncu_quantity(report.kernels.at(kernel), metric);
  EXPECT_EQ(quantity.state, QuantityState::Value) << name_of(metric);
  return quantity.value;
}

std::string refusal(const std::string& text) {
  return message_of(Fault::BadInput, [&] { (void)parsed(text); });
}

TEST(NcuReportTest, ARowAMetricIsKeyedByID) {
  const NcuReport report = parsed(good_long_csv());
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.names[report.kernels[0].name], "gemm");
  EXPECT_EQ(report.names[report.kernels[0].grid], "(64, 1, 1)");
  EXPECT_EQ(report.names[report.kernels[0].block], "(128, 1, 1)");
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 10e-6);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramRead), 1500);
  EXPECT_DOUBLE_EQ(value_of(report, 1, NcuMetric::Ffma), 3500);
  EXPECT_EQ(report.notes.rows, 16U);
}

TEST(NcuReportTest, KernelsOfOneNameStayApartAndInterleavedRowsFindTheirs) {
  const NcuReport report = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "1"},
                                            {"1", "k", "gpu__time_duration.sum", "us", "2"},
                                            {"0", "k", "dram__bytes_read.sum", "byte", "3"}}));
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramRead), 3);
  EXPECT_DOUBLE_EQ(value_of(report, 1, NcuMetric::Time), 2e-6);
}

TEST(NcuReportTest, UnitsMayMixWithinOneMetric) {
  const NcuReport report = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "usecond", "5"},
                                            {"1", "k", "gpu__time_duration.sum", "msecond", "5"},
                                            {"2", "k", "gpu__time_duration.sum", "nsecond", "5"},
                                            {"3", "k", "gpu__time_duration.sum", "", "5"}}));
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 5e-6);
  EXPECT_DOUBLE_EQ(value_of(report, 1, NcuMetric::Time), 5e-3);
  EXPECT_DOUBLE_EQ(value_of(report, 2, NcuMetric::Time), 5e-9);
  EXPECT_DOUBLE_EQ(value_of(report, 3, NcuMetric::Time), 5e-9);
  EXPECT_TRUE(report.notes.without_units);
}

TEST(NcuReportTest, WhatIsPrintedAroundTheTableIsPassedOver) {
  const std::string text =
      "\xEF\xBB\xBF==PROF== Connected to process 77\nepoch 1, \"Kernel Name\" is a joke\n"
      "==WARNING== low clocks\r\n" +
      good_long_csv() + "==PROF== Disconnected\nbye\n";
  const NcuReport report = parsed(text);
  EXPECT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.notes.noise_lines, 2U);
  EXPECT_THAT(report.notes.messages, testing::ElementsAre("==WARNING== low clocks"));
  EXPECT_EQ(parsed("\xEF\xBB\xBF" + good_long_csv()).kernels.size(), 2U);
}

TEST(NcuReportTest, DecimalCommasAreRecognisedFromTheWholeFile) {
  const NcuReport report = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "1.234"},
                                            {"1", "k", "gpu__time_duration.sum", "us", "96,99"}}));
  EXPECT_EQ(report.notes.mark, DecimalMark::Comma);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 1234e-6);
  EXPECT_DOUBLE_EQ(value_of(report, 1, NcuMetric::Time), 96.99e-6);
  EXPECT_THAT(refusal(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "12,5"},
                                {"1", "k", "gpu__time_duration.sum", "us", "96.99"}})),
              HasSubstr("decimal"));
}

TEST(NcuReportTest, TheRawPageHasAColumnAMetricAndARowOfUnits) {
  const NcuReport report = parsed(std::string(kGoodWideCsv));
  EXPECT_EQ(report.notes.layout, NcuLayout::Wide);
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.device_name, "NVIDIA L4");
  EXPECT_EQ(report.names[report.kernels[0].ranges], "train_step/forward");
  EXPECT_EQ(report.names[report.kernels[1].ranges], "train_step");
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 2e-3);
  // 1.5e9 cycles a second for 2 ms are 3e6; twice the fused ones a cycle are 1000.
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Ffma), 500 * 3e6);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Fadd), 100 * 3e6);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramBytes), 200e9 * 2e-3);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::L2Bytes), 600e6);
  EXPECT_FALSE(report.notes.without_units);
}

TEST(NcuReportTest, ASumGoesBeforeARateWhicheverComesFirst) {
  for (const std::string columns : {"dram__bytes.sum,dram__bytes.sum.per_second\n0,k,2,64,9\n",
                                    "dram__bytes.sum.per_second,dram__bytes.sum\n0,k,2,9,64\n"}) {
    const NcuReport report = parsed("ID,Kernel Name,gpu__time_duration.sum," + columns);
    EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramBytes), 64);
  }
}

TEST(NcuReportTest, ARawPageWithoutUnitsIsInBaseUnits) {
  const NcuReport report =
      parsed("ID,Kernel Name,gpu__time_duration.sum,dram__bytes.sum\n0,k,1500,64\n");
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 1.5e-6);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramBytes), 64);
  EXPECT_TRUE(report.notes.without_units);
}

TEST(NcuReportTest, TheDetailsPageHasLabelsAndRules) {
  const std::string text =
      R"r("ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup"
"0","k","(1, 1, 1)","(1, 1, 1)","GPU Speed Of Light Throughput","Memory Throughput","%","14.26","","","",""
"0","k","(1, 1, 1)","(1, 1, 1)","GPU Speed Of Light Throughput","Duration","ns","2,848","","","",""
"0","k","(1, 1, 1)","(1, 1, 1)","SpeedOfLight","","","","SOLBottleneck","OPT","Memory is busy, ""very"" busy",""
"0","k","(1, 1, 1)","(1, 1, 1)","Memory Workload Analysis","Memory Throughput","Gbyte/s","100","","","",""
)r";
  const NcuReport report = parsed(text);
  ASSERT_EQ(report.kernels.size(), 1U);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 2848e-9);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramBytes), 100e9 * 2848e-9);
}

TEST(NcuReportTest, ASummaryHasAveragesOverInvocations) {
  const std::string text =
      R"r("Process ID","Kernel Name","Block Size","Grid Size","Device","CC","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"
"7","k","(256, 1, 1)","(4, 1, 1)","0","8.0","14","S","gpu__time_duration.sum","us","1","3","2"
"7","k","(256, 1, 1)","(4, 1, 1)","0","8.0","14","S","dram__bytes.sum","byte","1","3","20"
"7","k","(256, 1, 1)","(8, 1, 1)","0","8.0","2","S","gpu__time_duration.sum","us","1","3","5"
)r";
  const NcuReport report = parsed(text);
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_EQ(report.kernels[0].calls, 14U);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::DramBytes), 20);
  EXPECT_EQ(report.kernels[1].calls, 2U);
}

TEST(NcuReportTest, SeveralReportsInOneFileCountFromZeroEach) {
  EXPECT_EQ(parsed(good_long_csv() + good_long_csv()).kernels.size(), 4U);
}

TEST(NcuReportTest, AByteOrderMarkBeforeALaterReportIsPassedOver) {
  const std::string marked = "\xEF\xBB\xBF" + good_long_csv();
  const NcuReport report = parsed(marked + marked);
  EXPECT_EQ(report.kernels.size(), 4U);
  EXPECT_EQ(report.notes.noise_lines, 0U);
  EXPECT_EQ(report.notes.second_values, 0U);
  const std::string wide = "\xEF\xBB\xBF" + std::string(kGoodWideCsv);
  EXPECT_EQ(parsed(wide + wide).kernels.size(), 4U);
}

TEST(NcuReportTest, ALaterReportMayHaveOtherColumns) {
  // As with --nvtx: two more in the middle, so that nothing stands where it did.
  std::string ranges = good_long_csv();
  for (std::size_t at = 0; (at = ranges.find("\",\"1\",\"7\"", at)) != std::string::npos; at += 8)
    ranges.insert(at + 2, "\"none\",");
  const std::string title = "\"Context\"";
  ranges.insert(ranges.find(title), "\"thread Domain:Push/Pop_Range:PL_Type:PL_Value\",");
  for (const std::string& text : {good_long_csv() + ranges, ranges + good_long_csv(),
                                  good_long_csv() + std::string(kGoodWideCsv)}) {
    const NcuReport report = parsed(text);
    ASSERT_EQ(report.kernels.size(), 4U);
    EXPECT_EQ(report.names[report.kernels[0].name], "gemm");
    EXPECT_EQ(report.notes.broken_rows, 0U);
  }
  EXPECT_DOUBLE_EQ(value_of(parsed(good_long_csv() + ranges), 3, NcuMetric::Time), 10e-6);
}

TEST(NcuReportTest, ASecondValueOfAKernelsMetricIsCountedWhereItDiffers) {
  const std::string time = "gpu__time_duration.sum";
  const NcuReport report = parsed(long_csv({{"0", "k", time, "usecond", "1.50"},
                                            {"0", "k", "gpu__time_duration.max", "nsecond", "1504"},
                                            {"0", "k", time, "usecond", "9"}}));
  EXPECT_EQ(report.notes.second_values, 1U);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 1.5e-6);
}

TEST(NcuReportTest, OneQuantityUnderTwoNamesIsNoSecondKernel) {
  const NcuReport report = parsed(
      "ID,Kernel Name,gpu__time_duration.sum,smsp__cycles_elapsed.avg,sm__cycles_elapsed.max\n"
      "0,k,1000,100,180\n");
  EXPECT_EQ(report.notes.second_values, 0U);
  EXPECT_EQ(report.notes.repeated_values, 0U);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Cycles), 100);
}

TEST(NcuReportTest, KernelsOfTwoHostsStayApart) {
  std::string there = whole_kernel("0", "gemm");
  for (std::size_t at = 0; (at = there.find("127.0.0.1", at)) != std::string::npos;)
    there.replace(at, 9, "node2");
  EXPECT_EQ(parsed(good_long_csv() + there).kernels.size(), 3U);
}

TEST(NcuReportTest, AValueThatIsNoNumberIsNamed) {
  const NcuReport report = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "1*234"},
                                            {"1", "k", "gpu__time_duration.sum", "us", "n/a"},
                                            {"2", "k", "gpu__time_duration.sum", "us", "5"}}));
  EXPECT_EQ(report.notes.unreadable_values, 1U);
  EXPECT_EQ(report.notes.first_unreadable, "1*234");
}

TEST(NcuReportTest, FractionsOfCountsTellTheDecimalMark) {
  const NcuReport bytes = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "ns", "140.256"},
                                           {"0", "k", "dram__bytes_read.sum", "byte", "425.472"}}));
  EXPECT_EQ(bytes.notes.mark, DecimalMark::Comma);
  EXPECT_DOUBLE_EQ(value_of(bytes, 0, NcuMetric::DramRead), 425472);
  const NcuReport time = parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "ns", "4.256"}}));
  EXPECT_DOUBLE_EQ(value_of(time, 0, NcuMetric::Time), 4256e-9);
  for (const MetricRow& row : {MetricRow{"0", "k", "dram__bytes_read.sum", "Mbyte", "1.234"},
                               MetricRow{"0", "k", "gpu__time_duration.sum", "us", "4.256"},
                               MetricRow{"0", "k", "dram__bytes_read.sum", "byte", "425,472"}})
    EXPECT_EQ(parsed(long_csv({row})).notes.mark, DecimalMark::Point) << row.value;
}

TEST(NcuReportTest, APercentageFarAboveAHundredTellsTheDecimalMark) {
  const std::string percent = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
  const NcuReport report = parsed(long_csv(
      {{"0", "k", "gpu__time_duration.sum", "us", "1,500"}, {"0", "k", percent, "%", "12,345"}}));
  EXPECT_EQ(report.notes.mark, DecimalMark::Comma);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::SmPercent), 12.345);
  EXPECT_DOUBLE_EQ(value_of(report, 0, NcuMetric::Time), 1.5e-6);
}

TEST(NcuReportTest, TheChipIsTold) {
  EXPECT_EQ(parsed(good_long_csv()).chip, (ComputeCapability{.major = 8, .minor = 9}));
}

TEST(NcuReportTest, WhatCannotBeUsedIsMarkedAndNeverANumber) {
  const NcuReport report =
      parsed(long_csv({{"0", "k", "gpu__time_duration.sum", "us", "n/a"},
                       {"0", "k", "dram__bytes_read.sum", "byte", "18,446,744,073,709,551,615"},
                       {"0", "k", "dram__bytes_write.sum", "byte", "-12"},
                       {"0", "k", "dram__bytes.sum", "furlong", "12"}}));
  const auto state = [&](NcuMetric metric) {
    return ncu_quantity(report.kernels[0], metric).state;
  };
  EXPECT_EQ(state(NcuMetric::Time), QuantityState::Unavailable);
  EXPECT_EQ(state(NcuMetric::DramRead), QuantityState::Overflowed);
  EXPECT_EQ(state(NcuMetric::DramWrite), QuantityState::Overflowed);
  EXPECT_EQ(state(NcuMetric::DramBytes), QuantityState::Unavailable);
  EXPECT_EQ(state(NcuMetric::L2Bytes), QuantityState::Absent);
  EXPECT_EQ(report.notes.unknown_units.count("furlong"), 1U);
}

TEST(NcuReportTest, ACutOrBrokenRowIsCounted) {
  const std::string whole = good_long_csv();
  const NcuReport cut = parsed(whole.substr(0, whole.size() - 20));
  EXPECT_TRUE(cut.notes.cut_off);
  EXPECT_EQ(cut.notes.rows, 15U);
  const NcuReport broken = parsed(whole + "\"2\",\"77\"\n");
  EXPECT_EQ(broken.notes.broken_rows, 1U);
  EXPECT_EQ(broken.notes.first_broken_at, whole.size());
}

TEST(NcuReportTest, FilesWithoutATableSayWhatNcuSaid) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("hello\nworld\n"), HasSubstr("no table of ncu"));
  EXPECT_THAT(refusal("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
                      "permission\n"),
              testing::AllOf(HasSubstr("ERR_NVGPUCTRPERM"), HasSubstr("NVreg_Restrict")));
  EXPECT_THAT(refusal("==WARNING== No kernels were profiled.\n"), HasSubstr("--nvtx-include"));
  EXPECT_THAT(refusal(std::string(kLongHeader) + "\n"), HasSubstr("only the header"));
  EXPECT_THAT(refusal(std::string(kLongHeader) + "\n\"0\",\"7"), HasSubstr("cut short"));
  EXPECT_THAT(refusal(std::string("\xFF\xFEI\0D\0", 6)), HasSubstr("UTF-16"));
  EXPECT_THAT(refusal("a,b\n1,2\n"), HasSubstr("file.csv"));
}

TEST(NcuReportTest, SemicolonsAndTabsPartCellsToo) {
  EXPECT_EQ(parsed("ID;Kernel Name;gpu__time_duration.sum\n0;k;1,5\n").kernels.size(), 1U);
  EXPECT_EQ(parsed("ID\tKernel Name\tgpu__time_duration.sum\n0\tk\t1\n").kernels.size(), 1U);
}

}  // namespace
}  // namespace ridgeline
