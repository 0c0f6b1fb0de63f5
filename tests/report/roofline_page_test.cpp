#include "report/roofline_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/roofline_samples.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

Page page_of(const std::vector<PointSet>& sets, bool compare = false) {
  return roofline_page({make_scene(sets, datasheet("L4"), {.compare = compare})}, sets,
                       datasheet("L4"));
}

TEST(RooflinePageTest, TheChartHasRoofsDotsAndWhatTheyAre) {
  const PointSet set = testing::many_points(50);
  const Page page = page_of({set});
  ASSERT_EQ(page.sections.size(), 3U);
  ASSERT_EQ(page.sections[0].charts.size(), 1U);
  const Chart& chart = page.sections[0].charts[0];
  std::size_t dots = 0;
  for (const Json& trace : chart.data) {
    if (trace["mode"] != "markers") continue;
    dots += trace["x"].size();
    EXPECT_EQ(trace["x"].size(), trace["text"].size());
    EXPECT_EQ(trace["x"].size(), trace["marker"]["size"].size());
  }
  EXPECT_EQ(dots, 50U);
  EXPECT_EQ(chart.layout["xaxis"]["type"], "log");
  EXPECT_THAT(page.sections[0].body, HasSubstr("could take"));
  EXPECT_THAT(page.sections[2].body, HasSubstr("NVIDIA L4 datasheet"));
}

TEST(RooflinePageTest, EveryLevelHasAChart) {
  PointSet set = testing::many_points(5);
  for (RooflinePoint& point : set.points)
    point.bytes[index_of(MemoryLevel::L2)] = point.of(MemoryLevel::Dram);
  const Ceilings ceilings = datasheet("L4");
  const Page page = roofline_page(
      {make_scene({set}, ceilings, {}), make_scene({set}, ceilings, {.level = MemoryLevel::L2})},
      {set}, ceilings);
  ASSERT_EQ(page.sections.size(), 4U);
  const auto axis = [&](std::size_t section) {
    return page.sections[section].charts.at(0).layout["xaxis"]["title"]["text"].get<std::string>();
  };
  EXPECT_THAT(axis(0), HasSubstr("DRAM byte"));
  EXPECT_THAT(axis(1), HasSubstr("L2 byte"));
  EXPECT_THAT(page.sections[1].title, HasSubstr("L2 byte"));
}

TEST(RooflinePageTest, NamesFromOutsideStayText) {
  PointSet set{.label = "<script>",
               .points = {testing::made_point("<img src=x>", 1, 1, 1)},
               .notes = {"<b>"}};
  const std::string html = html_page(page_of({set}), {.plotly_js = "var Plotly;"});
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<img src=x>")));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<b></p>")));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("of <script>")));
}

TEST(RooflinePageTest, NamesOfRoofsAndKneesStandWhereAPictureHasThem) {
  Ceilings ceilings{.machine = "box", .source = "measured here"};
  ceilings.set(ComputePath::Fp32, FlopPerSecond{500e9});
  ceilings.set(ComputePath::Fp64, FlopPerSecond{480e9});
  ceilings.set(MemoryLevel::Dram, BytesPerSecond{250e9});
  PointSet set = testing::many_points(3);
  set.points[0].flop[index_of(ComputePath::Fp64)] = set.points[0].total_flop();
  const RooflineScene scene = make_scene({set}, ceilings, {});
  const Page page = roofline_page({scene}, {set}, ceilings);
  std::vector<double> knees;
  for (const auto& text : page.sections.front().charts.front().layout["annotations"])
    if (text["text"].get<std::string>().starts_with("knee")) knees.push_back(text["y"]);
  ASSERT_EQ(knees.size(), 2U);
  const double line = std::log10(scene.y_high / scene.y_low) / 40;
  EXPECT_GT(std::abs(knees[0] - knees[1]), line) << "one above the other, not on it";
}

TEST(RooflinePageTest, TwoRunsHaveATableEachAndArrows) {
  PointSet before = testing::many_points(5);
  PointSet after = before;
  after.label = "after";
  const Page page = page_of({before, after}, true);
  ASSERT_EQ(page.sections.size(), 4U);
  int arrows = 0;
  for (const Json& note : page.sections[0].charts[0].layout["annotations"])
    arrows += note["showarrow"] == true ? 1 : 0;
  EXPECT_EQ(arrows, 5);
}

}  // namespace
}  // namespace ridgeline
