#include "roofline/points_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "roofline/datasheet.h"
#include "roofline/ncu_points.h"
#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

PointSet good() {
  NcuPoints points = points_of(parse_ncu_csv(std::string(kGoodWideCsv), "r.csv"));
  return {.label = "made",
          .source = "ncu: r.csv",
          .ceilings = datasheet("L4"),
          .points = std::move(points.points),
          .notes = {"a note"}};
}

TEST(PointsFileTest, WhatIsWrittenIsReadAgainToTheLastBit) {
  const PointSet set = good();
  const PointSet read = parse_points_json(points_json(set), "p.json");
  EXPECT_EQ(read.label, "made");
  EXPECT_EQ(read.source, "ncu: r.csv");
  EXPECT_EQ(read.notes, set.notes);
  EXPECT_EQ(read.ceilings.machine, "L4");
  EXPECT_EQ(read.ceilings.of(ComputePath::Fp32)->value, set.ceilings.of(ComputePath::Fp32)->value);
  EXPECT_FALSE(read.ceilings.of(ComputePath::Fp64));
  ASSERT_EQ(read.points.size(), set.points.size());
  for (std::size_t i = 0; i < read.points.size(); ++i) {
    const RooflinePoint& a = read.points[i];
    const RooflinePoint& b = set.points[i];
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.phase, b.phase);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.flop, b.flop);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.waves, b.waves);
    EXPECT_EQ(a.sm_percent, b.sm_percent);
  }
}

TEST(PointsFileTest, IntervalsOfMeasuredCeilingsAreKept) {
  PointSet set = good();
  set.ceilings.compute_interval[index_of(ComputePath::Fp32)] = {.low = 1e9, .high = 2e9};
  set.ceilings.bandwidth_interval[index_of(MemoryLevel::Dram)] = {
      .low = 3, .high = 4, .steady = false};
  const Ceilings read = parse_points_json(points_json(set), "p.json").ceilings;
  EXPECT_EQ(read.compute_interval[index_of(ComputePath::Fp32)]->high, 2e9);
  EXPECT_TRUE(read.compute_interval[index_of(ComputePath::Fp32)]->steady);
  EXPECT_EQ(read.bandwidth_interval[index_of(MemoryLevel::Dram)]->low, 3);
  EXPECT_FALSE(read.bandwidth_interval[index_of(MemoryLevel::Dram)]->steady);
  EXPECT_FALSE(read.bandwidth_interval[index_of(MemoryLevel::L2)]);
  for (const char* intervals : {"[]", R"({"fp32":1})", R"({"fp32":{"low_per_s":2,"high_per_s":1}})",
                                R"({"L9":{"low_per_s":1,"high_per_s":2}})"}) {
    const std::string text = std::string(R"({"roofline_version":1,"ceilings":{"intervals":)") +
                             intervals + R"(},"points":[{"time_s":1}]})";
    EXPECT_NE(message_of(Fault::BadInput, [&] { (void)parse_points_json(text, "p.json"); }), "");
  }
}

TEST(PointsFileTest, WrongFilesAreRefusedByKey) {
  const auto refusal = [](const std::string& text) {
    return message_of(Fault::BadInput, [&] { (void)parse_points_json(text, "p.json"); });
  };
  const auto with_point = [](const std::string& members) {
    return R"({"roofline_version":1,"points":[{)" + members + "}]}";
  };
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("roofline_version"));
  EXPECT_THAT(refusal(R"({"roofline_version":1,"points":[]})"), HasSubstr("'points'"));
  EXPECT_THAT(refusal(with_point(R"("time_s":0)")), HasSubstr("point 1: 'time_s'"));
  EXPECT_THAT(refusal(with_point(R"("time_s":"x")")), HasSubstr("no number"));
  EXPECT_THAT(refusal(with_point(R"("time_s":-1)")), HasSubstr("not between"));
  EXPECT_THAT(refusal(with_point(R"("time_s":1,"label":3)")), HasSubstr("'label' is no text"));
  EXPECT_THAT(refusal(with_point(R"("time_s":1,"flop":{"fp31":1})")), HasSubstr("'fp31'"));
  EXPECT_THAT(refusal(with_point(R"("time_s":1,"calls":0)")), HasSubstr("'calls'"));
}

}  // namespace
}  // namespace ridgeline
