#include "roofline/point_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "roofline/ncu_text.h"
#include "roofline/summary_file.h"

namespace ridgeline {
namespace {

TEST(PointSourceTest, AFileIsToldByItsContent) {
  const TemporaryFolder folder;
  folder.put("a.txt", good_long_csv());
  folder.put("b.csv", std::string(kGoodWideCsv));
  const NcuPoints points = points_of(parse_ncu_csv(good_long_csv(), "r.csv"));
  folder.put("c.csv", summary_text(summary_of(points, "from a summary", "r.csv")));
  folder.put("d.csv", points_json({.label = "from JSON", .points = points.points}));
  const PointSet csv = read_points(folder.path() / "a.txt");
  EXPECT_EQ(csv.points.size(), 2U);
  EXPECT_EQ(csv.label, "a");
  EXPECT_TRUE(csv.ceilings.empty());
  EXPECT_EQ(read_points(folder.path() / "b.csv").ceilings.machine, "L4");
  const PointSet summary = read_points(folder.path() / "c.csv");
  EXPECT_EQ(summary.label, "from a summary");
  EXPECT_EQ(summary.points.size(), 1U);
  EXPECT_EQ(read_points(folder.path() / "d.csv").label, "from JSON");
}

TEST(PointSourceTest, AListOfRunsIsReadAsSoMany) {
  const TemporaryFolder folder;
  const NcuPoints points = points_of(parse_ncu_csv(good_long_csv(), "r.csv"));
  const std::string one = points_json({.label = "one", .points = points.points});
  const std::string two = points_json({.label = "two", .points = points.points});
  folder.put("two.json", "[\n" + one + ",\n" + two + "]\n");
  const auto sets = read_point_sets(folder.path() / "two.json");
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[1].label, "two");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_points(folder.path() / "two.json"); }),
              testing::HasSubstr("points of 2 runs"));
  folder.put("none.json", "[]");
  EXPECT_THAT(
      message_of(Fault::BadInput, [&] { (void)read_point_sets(folder.path() / "none.json"); }),
      testing::HasSubstr("none"));
}

TEST(PointSourceTest, OtherFilesAreRefused) {
  const TemporaryFolder folder;
  folder.put("x", "hello");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_points(folder.path() / "x"); }),
              testing::HasSubstr("no table of ncu"));
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_points(folder.path()); }),
              testing::HasSubstr("cannot read"));
}

}  // namespace
}  // namespace ridgeline
