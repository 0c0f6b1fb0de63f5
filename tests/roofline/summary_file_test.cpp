#include "roofline/summary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

RooflineSummary good() {
  return summary_of(points_of(parse_ncu_csv(good_long_csv(), "r.csv")), "two kernels", "r.csv");
}

TEST(SummaryFileTest, TheTextIsTheOneScriptsKnow) {
  EXPECT_EQ(summary_text(good()),
            "Label: two kernels\n"
            "Input CSV: r.csv\n"
            "\n"
            "=== Totals (aggregated across all kernels in the profiled step) ===\n"
            "Total fadd instructions : 2.000e+03\n"
            "Total fmul instructions : 4.000e+03\n"
            "Total ffma instructions : 7.000e+03\n"
            "Total FLOPs             : 2.000e+04\n"
            "\n"
            "Total DRAM bytes read   : 3.000e+03\n"
            "Total DRAM bytes write  : 1.000e+03\n"
            "Total DRAM bytes total  : 4.000e+03\n"
            "\n"
            "=== Time and rates ===\n"
            "Step time (seconds)     : 2.000000e-05\n"
            "Achieved GFLOP/s        : 1.000\n"
            "Achieved GB/s           : 0.200\n"
            "Arithmetic intensity    : 5.000000 FLOP/byte\n"
            "\n"
            "=== Utilization (time-weighted, elapsed) ===\n"
            "SM% pct_of_peak_sustained_elapsed   : 40.250\n"
            "DRAM% pct_of_peak_sustained_elapsed : 50.000\n");
}

TEST(SummaryFileTest, WhatIsWrittenIsReadAgain) {
  const RooflineSummary read = parse_summary(summary_text(good()), "s.txt");
  EXPECT_EQ(read.label, "two kernels");
  EXPECT_EQ(read.input, "r.csv");
  EXPECT_DOUBLE_EQ(read.gflop_per_s, 1);
  EXPECT_DOUBLE_EQ(read.flop_per_byte, 5);
  EXPECT_DOUBLE_EQ(read.fadd.value(), 2000);
  EXPECT_DOUBLE_EQ(read.dram_percent.value(), 50);
  const RooflinePoint point = point_of(read);
  EXPECT_DOUBLE_EQ(point.intensity(MemoryLevel::Dram)->value, 5);
  EXPECT_DOUBLE_EQ(point.rate()->value, 1e9);
  EXPECT_DOUBLE_EQ(point.time.count(), 2e-5);
}

TEST(SummaryFileTest, WhatIsNotKnownIsNanInTheFileAndAbsentAfterwards) {
  RooflineSummary summary = good();
  summary.sm_percent.reset();
  const std::string text = summary_text(summary);
  EXPECT_THAT(text, HasSubstr("SM% pct_of_peak_sustained_elapsed   : nan\n"));
  EXPECT_FALSE(parse_summary(text, "s.txt").sm_percent);
}

TEST(SummaryFileTest, ALabelStaysOnItsLine) {
  RooflineSummary summary = good();
  summary.label = "a\nAchieved GFLOP/s : 9";
  EXPECT_DOUBLE_EQ(parse_summary(summary_text(summary), "s.txt").gflop_per_s, 1);
}

TEST(SummaryFileTest, FilesWithoutUsableRatesAreRefused) {
  EXPECT_TRUE(is_summary(summary_text(good())));
  EXPECT_FALSE(is_summary("Label: x\n"));
  const auto refusal = [](const std::string& text) {
    return message_of(Fault::BadInput, [&] { (void)parse_summary(text, "s.txt"); });
  };
  EXPECT_THAT(refusal("Label: x\n"), HasSubstr("Achieved GFLOP/s"));
  EXPECT_THAT(refusal("Achieved GFLOP/s : much\n"), HasSubstr("no number (at byte 0)"));
  EXPECT_THAT(refusal("\nAchieved GFLOP/s : -1\n"), HasSubstr("is -1 (at byte 1)"));
  EXPECT_THAT(refusal("Achieved GFLOP/s : 1\nArithmetic intensity : nan\n"),
              HasSubstr("Arithmetic intensity"));
}

TEST(SummaryFileTest, NumbersThatEndInSomethingElseAreNotCutToTheirBeginning) {
  const auto refusal = [](const std::string& rate, const std::string& intensity) {
    return message_of(Fault::BadInput, [&] {
      (void)parse_summary("Achieved GFLOP/s : " + rate + "\nArithmetic intensity : " + intensity,
                          "s.txt");
    });
  };
  EXPECT_THAT(refusal("12abc", "1"), HasSubstr("Achieved GFLOP/s is no number"));
  EXPECT_THAT(refusal("1", "6,941900 FLOP/byte"), HasSubstr("Arithmetic intensity is no number"));
  EXPECT_THAT(refusal("1 234", "1"), HasSubstr("Achieved GFLOP/s is no number"));
}

TEST(SummaryFileTest, NumbersOfNoMachineAreRefused) {
  const auto refusal = [](const std::string& rate, const std::string& intensity) {
    return message_of(Fault::BadInput, [&] {
      (void)parse_summary("Achieved GFLOP/s : " + rate + "\nArithmetic intensity : " + intensity,
                          "s.txt");
    });
  };
  EXPECT_THAT(refusal("1e308", "1"), HasSubstr("is 1e+308"));
  EXPECT_THAT(refusal("1", "1e-308"), HasSubstr("is 1e-308"));
}

TEST(SummaryFileTest, NoDramBytesMeanNoIntensity) {
  NcuPoints points = points_of(parse_ncu_csv(good_long_csv(), "r.csv"));
  for (RooflinePoint& point : points.points) point.bytes[index_of(MemoryLevel::Dram)] = Bytes{0};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)summary_of(points, "l", "r.csv"); }),
              HasSubstr("no DRAM bytes"));
}

TEST(SummaryFileTest, AFileWhoseNameBeginsLikeShapesIsCountedAllTheSame) {
  RooflineSummary summary{
      .label = "x", .input = "shapes.csv", .gflop_per_s = 1, .flop_per_byte = 1};
  EXPECT_FALSE(point_of(summary).by_shapes);
  summary.input = kFromShapes;
  EXPECT_TRUE(point_of(summary).by_shapes);
}

}  // namespace
}  // namespace ridgeline
