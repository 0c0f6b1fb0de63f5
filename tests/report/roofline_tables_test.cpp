#include "report/roofline_tables.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/roofline_samples.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::made_point;

std::string cell(const CsvTable& csv, std::size_t row, const std::string& column) {
  const auto place = std::ranges::find(csv.header, column) - csv.header.begin();
  return csv.rows.at(row).at(static_cast<std::size_t>(place));
}

TEST(RooflineTablesTest, ARowSaysWhatHoldsThePointDown) {
  RooflinePoint point = made_point("void ns::conv<float>(x)", 2, 1, 480);
  point.kind = OpKind::Convolution;
  const ReaderTable table =
      roofline_table({point, made_point("copy", 2, 0, 6)}, datasheet("L4"), {});
  ASSERT_EQ(table.columns.size(), 12U);
  EXPECT_THAT(table.rows.at(0),
              ElementsAre("conv", "convolution", "1", "2.00 ms", "50.0 %", "1 G", "480 MB", "2.083",
                          "500", "DRAM", "80 % of DRAM", "400.0 µs"));
  EXPECT_THAT(table.rows.at(1), ElementsAre("copy", "other", "1", "2.00 ms", "50.0 %", "0", "6 MB",
                                            "–", "–", "latency", "1 % of DRAM", "1.98 ms"));
}

TEST(RooflineTablesTest, WithoutCeilingsThereIsNoVerdict) {
  const ReaderTable table = roofline_table({made_point("k", 1, 1, 1)}, {}, {});
  EXPECT_EQ(table.columns.size(), 9U);
  EXPECT_EQ(table.rows.at(0).size(), 9U);
}

TEST(RooflineTablesTest, TheLevelThatWasAskedForHasTheColumns) {
  RooflinePoint point = testing::made_point("gemm", 1, 10, 100);
  point.bytes[index_of(MemoryLevel::Dram)].reset();
  point.bytes[index_of(MemoryLevel::L2)] = Bytes{2e8};
  const ReaderTable table = roofline_table({point}, {}, {.level = MemoryLevel::L2});
  EXPECT_EQ(table.columns[6].title, "L2");
  EXPECT_EQ(table.rows[0][6], "200 MB");
  EXPECT_EQ(table.rows[0][7], "50");
  const CsvTable csv = roofline_csv({point}, {}, {});
  const auto at = std::ranges::find(csv.header, "flop_per_l2_byte") - csv.header.begin();
  EXPECT_EQ(csv.rows[0].at(static_cast<std::size_t>(at)), "50");
  EXPECT_EQ(csv.rows[0].at(static_cast<std::size_t>(at) - 2), "");
}

TEST(RooflineTablesTest, TheTopIsShownAndAllIsInTheCsv) {
  const auto points = testing::many_points(30).points;
  EXPECT_EQ(roofline_table(points, datasheet("L4"), {.top = 7}).rows.size(), 7U);
  const CsvTable csv = roofline_csv(points, datasheet("L4"), {});
  EXPECT_EQ(csv.rows.size(), 30U);
  for (const auto& row : csv.rows) EXPECT_EQ(row.size(), csv.header.size());
  EXPECT_THAT(csv.header, ::testing::Contains("flop_bf16_tensor"));
}

TEST(RooflineTablesTest, TheTopAreTheLongest) {
  const std::vector<RooflinePoint> points{made_point("a", 1, 1, 1), made_point("b", 3, 1, 1),
                                          made_point("c", 2, 1, 1)};
  const auto names = [&](std::size_t top) {
    std::string text;
    for (const auto& row : roofline_table(points, {}, {.top = top}).rows) text += row[0];
    return text;
  };
  EXPECT_EQ(names(2), "bc");
  EXPECT_EQ(names(3), "abc") << "in their order where all are shown";
}

TEST(RooflineTablesTest, FactsNameCallsPlaceAndBound) {
  RooflinePoint point = made_point("k", 2, 1, 480);
  point.calls = 3;
  point.phase = "train_step/forward";
  point.detail = "(1, 1, 1) × (8, 8, 1)";
  std::string all;
  for (const std::string& fact : point_facts(point, datasheet("L4"))) all += fact + "\n";
  EXPECT_THAT(all, HasSubstr("3 calls, 2.00 ms in all"));
  EXPECT_THAT(all, HasSubstr("in train_step/forward"));
  EXPECT_THAT(all, HasSubstr("2.083 FLOP per DRAM byte"));
  EXPECT_THAT(all, HasSubstr("bound: DRAM; 80 % of DRAM; 400.0 µs to win"));
}

TEST(RooflineTablesTest, BytesByShapesAreCalledTheLeastAndOverheadHasNoCalls) {
  RooflinePoint product = made_point("aten::mm", 2, 1, 100);
  RooflinePoint overhead = made_point("(overhead)", 1, 0, 0);
  product.by_shapes = true;
  overhead.by_shapes = true;
  const Ceilings ceilings = datasheet("L4");
  const ReaderTable table = roofline_table({product, overhead}, ceilings, {});
  EXPECT_EQ(table.columns[5].title, "Least FLOP");
  EXPECT_EQ(table.columns[6].title, "Least DRAM");
  EXPECT_EQ(table.rows[1][2], "–");
  EXPECT_EQ(table.rows[1][9], "overhead");
  EXPECT_EQ(roofline_table({made_point("k", 1, 1, 1)}, ceilings, {}).columns[6].title, "DRAM");
  const CsvTable csv = roofline_csv({product}, ceilings, {});
  const auto place = std::ranges::find(csv.header, "counted_by") - csv.header.begin();
  EXPECT_EQ(csv.rows.front().at(static_cast<std::size_t>(place)), "shapes");
  EXPECT_EQ(cell(csv, 0, "cache_control"), "") << "shapes know no caches";
}

TEST(RooflineTablesTest, WhatWasNotCountedIsMarkedAmongWhatWas) {
  const RooflinePoint counted = made_point("gemm", 2, 1, 100);
  RooflinePoint copy = made_point("Memcpy HtoD", 1, 0, 100);
  copy.by_shapes = true;
  const Ceilings ceilings = datasheet("L4");
  const ReaderTable table = roofline_table({counted, copy}, ceilings, {});
  EXPECT_EQ(table.columns[6].title, "DRAM");
  EXPECT_EQ(table.rows[0][6], "100 MB");
  EXPECT_EQ(table.rows[1][5], "0");
  EXPECT_EQ(table.rows[1][6], "≥ 100 MB");
  const CsvTable csv = roofline_csv({counted, copy}, ceilings, {.cache = CacheControl::All});
  EXPECT_EQ(cell(csv, 0, "cache_control"), "all");
  EXPECT_EQ(cell(csv, 1, "cache_control"), "");
}

TEST(RooflineTablesTest, EveryRowSaysOfWhichRunItIsAndWhatItsStepTook) {
  PointSet run{.label = "resnet18 fp32", .points = {made_point("gemm", 2, 1, 100)}};
  run.step = {.clock = Seconds{0.5}, .mfu = 0.25};
  const CsvTable csv = roofline_csv(run.points, datasheet("L4"), run);
  EXPECT_EQ(cell(csv, 0, "run"), "resnet18 fp32");
  EXPECT_EQ(cell(csv, 0, "step_s"), "0.5");
  EXPECT_EQ(cell(csv, 0, "mfu"), "0.25");
  EXPECT_EQ(cell(csv, 0, "hfu"), "");
  EXPECT_NE(cell(csv, 0, "step_best_s"), "");
}

}  // namespace
}  // namespace ridgeline
