#include "report/roofline_plot.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/process.h"
#include "core/temporary_folder.h"
#include "report/roofline_layout.h"
#include "report/roofline_legend.h"
#include "report/roofline_samples.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

RooflineScene scene_of(int points) {
  return make_scene({testing::many_points(points)}, datasheet("L4"), {});
}

std::string why_not(const DrawOutcome& outcome) {
  const auto* const missing = std::get_if<NotDrawn>(&outcome);
  return missing == nullptr ? "" : missing->reason;
}

TEST(RooflineLayoutTest, NamesAreFewAndWithinTheAxes) {
  for (const int points : {1, 10, 200}) {
    const RooflineLayout layout = lay_out(scene_of(points));
    int names = 0;
    for (const PageText& text : layout.texts) {
      if (!text.text.starts_with("kernel_") && !text.text.ends_with(" points")) continue;
      if (text.text.starts_with("Roofline")) continue;
      ++names;
      EXPECT_GE(text.x, roofline_area({}).left);
      EXPECT_LE(text.x, roofline_area({}).right);
      EXPECT_GE(text.y, roofline_area({}).bottom);
      EXPECT_LE(text.y, roofline_area({}).top);
    }
    EXPECT_GE(names, std::min(points, 5)) << points;
    EXPECT_LE(names, 14) << points;
  }
}

TEST(RooflineLayoutTest, ALonePointCarriesItsNumbers) {
  std::string all;
  for (const PageText& text : lay_out(scene_of(1)).texts) all += text.text + "\n";
  EXPECT_THAT(all, HasSubstr("FLOP/byte"));
  EXPECT_THAT(all, HasSubstr("GFLOP/s"));
}

PageText text_of(const RooflineScene& scene, const std::string& roof) {
  for (const PageText& text : lay_out(scene).texts)
    if (text.text == roof) return text;
  return {};
}

TEST(RooflineLayoutTest, TheNameOfARoofMakesRoomForADot) {
  RooflineScene scene = scene_of(1);
  const auto roof = std::ranges::find(scene.roofs, false, &RoofLine::is_memory);
  ASSERT_NE(roof, scene.roofs.end());
  const PageText before = text_of(scene, roof->label);
  RooflineDot dot = scene.dots.front();
  dot.x = scene.x_high / 2;
  dot.y = roof->y1 * 1.2;
  scene.dots.push_back(dot);
  const PageText after = text_of(scene, roof->label);
  EXPECT_TRUE(after.x < before.x - 20 || after.y < before.y - 10)
      << after.x << ", " << after.y << " for " << before.x << ", " << before.y;
}

TEST(RooflineLayoutTest, TheTurnedNameOfABandwidthMakesRoomForADotToo) {
  RooflineScene scene = scene_of(1);
  const auto roof = std::ranges::find(scene.roofs, true, &RoofLine::is_memory);
  ASSERT_NE(roof, scene.roofs.end());
  const PageText before = text_of(scene, roof->label);
  // Back from the page to the axes, onto the middle of the name.
  const auto value = [](double part, double low, double high) {
    return low * std::pow(high / low, part);
  };
  RooflineDot dot = scene.dots.front();
  dot.x = value(
      (before.x - roofline_area({}).left) / (roofline_area({}).right - roofline_area({}).left),
      scene.x_low, scene.x_high);
  dot.y = value(
      (before.y - roofline_area({}).bottom) / (roofline_area({}).top - roofline_area({}).bottom),
      scene.y_low, scene.y_high);
  scene.dots.push_back(dot);
  const PageText after = text_of(scene, roof->label);
  EXPECT_GT(std::hypot(after.x - before.x, after.y - before.y), 20);
}

// Whether two texts that are not turned lie on each other.
bool overlap(const PageText& a, const PageText& b) {
  std::vector<PageBox> boxes;
  block_text(a, boxes);
  return !is_clear(b, boxes);
}

TEST(RooflineLayoutTest, NamesOfCloseRoofsAndKneesDoNotLieOnEachOther) {
  Ceilings ceilings{.machine = "box", .source = "measured here"};
  ceilings.set(ComputePath::Fp32, FlopPerSecond{500e9});
  ceilings.set(ComputePath::Fp64, FlopPerSecond{250e9});
  ceilings.set(MemoryLevel::L2, BytesPerSecond{286e9});
  ceilings.set(MemoryLevel::L3, BytesPerSecond{270e9});
  ceilings.set(MemoryLevel::Dram, BytesPerSecond{250e9});
  const RooflineLayout layout = lay_out(empty_scene(ceilings));
  for (std::size_t i = 0; i < layout.texts.size(); ++i) {
    for (std::size_t j = i + 1; j < layout.texts.size(); ++j)
      EXPECT_FALSE(overlap(layout.texts[i], layout.texts[j]))
          << layout.texts[i].text << " on " << layout.texts[j].text;
  }
}

TEST(RooflineLayoutTest, NoPeaksNameStandsAboveTheNextPeaksLine) {
  Ceilings ceilings{.machine = "box", .source = "measured here"};
  ceilings.set(ComputePath::Fp32, FlopPerSecond{206e9});
  ceilings.set(ComputePath::TensorBf16, FlopPerSecond{243e9});
  ceilings.set(MemoryLevel::Dram, BytesPerSecond{33e9});
  PointSet set = testing::many_points(200);  // dots everywhere below
  for (RooflinePoint& point : set.points)
    point.flop[index_of(ComputePath::TensorBf16)] = point.flop[index_of(ComputePath::Fp32)];
  const RooflineScene scene = make_scene({set}, ceilings, {});
  EXPECT_LT(text_of(scene, "fp32 206 GFLOP/s").y, text_of(scene, "bf16 tensor 243 GFLOP/s").y);
}

TEST(RooflineLegendTest, ManyRunsTakeRowsAndTheAxesMakeRoom) {
  std::vector<PointSet> sets;
  for (int i = 1; i <= 8; ++i) {
    sets.push_back(testing::many_points(20));
    sets.back().label = fmt::format("resnet18 a setting of a long name {}, batch {}", i * i, i);
  }
  const RooflineScene scene = make_scene(sets, datasheet("L4"), {});
  const RooflineLegend legend = legend_of(scene);
  EXPECT_GT(legend.rows, 2U);
  EXPECT_GT(roofline_area(scene).bottom, roofline_area({}).bottom + 20);
  EXPECT_EQ(legend.marks.size(), legend.texts.size());
  std::set<std::string> names;
  for (const PageText& text : legend.texts) {
    EXPECT_GE(text.x, 0) << text.text;
    EXPECT_LE(box_of(text).right, kRooflineWidth) << text.text;
    EXPECT_LT(text.y, roofline_area(scene).bottom - 40) << "there stands the axis' title";
    EXPECT_GT(text.y, 30) << "there stand the notes";
    names.insert(text.text);
  }
  EXPECT_EQ(names.size(), legend.texts.size());
  std::set<std::string_view> markers;
  for (std::size_t set = 0; set < 8; ++set) markers.insert(marker_of(set, 8).plotly);
  EXPECT_EQ(markers.size(), 8U);
}

TEST(RooflineLegendTest, MoreRunsThanMarkersAreCountedAndTheAxesStay) {
  std::vector<PointSet> sets;
  for (int i = 1; i <= 40; ++i) {
    sets.push_back(testing::many_points(2));
    sets.back().label = fmt::format("{} {}", i, std::string(80, 'x'));
  }
  const RooflineScene scene = make_scene(sets, datasheet("L4"), {});
  const RooflineLegend legend = legend_of(scene);
  EXPECT_EQ(std::ranges::count(legend.texts, "and 32 more, marked like these", &PageText::text), 1);
  EXPECT_LT(roofline_area(scene).bottom, roofline_area(scene).top / 2);
}

// Whether the name of a peak stands on the line of a roof.
bool covers_a_roof(const RooflineScene& scene) {
  const PageBox area = roofline_area(scene);
  const auto place = [](double value, double low, double high, double from, double to) {
    return from + std::log(value / low) / std::log(high / low) * (to - from);
  };
  std::vector<PageBox> lines;
  for (const RoofLine& roof : scene.roofs) {
    const auto x = [&](double value) {
      return place(value, scene.x_low, scene.x_high, area.left, area.right);
    };
    const auto y = [&](double value) {
      return place(value, scene.y_low, scene.y_high, area.bottom, area.top);
    };
    block_line({x(roof.x0), y(roof.y0), x(roof.x1), y(roof.y1)}, lines);
  }
  return !std::ranges::all_of(scene.roofs, [&](const RoofLine& roof) {
    return roof.is_memory || is_clear(text_of(scene, roof.label), lines);
  });
}

TEST(RooflineLayoutTest, TheNamesOfShortRoofsStandOffTheRisingOne) {
  Ceilings ceilings{.machine = "box", .source = "measured here"};
  ceilings.set(ComputePath::Fp32, FlopPerSecond{559.6e9});
  ceilings.set(ComputePath::TensorBf16, FlopPerSecond{700e9});
  ceilings.set(MemoryLevel::Dram, BytesPerSecond{20e9});
  PointSet set{.label = "run", .points = {testing::made_point("a", 1, 0.001, 1)}};
  set.points[0].flop[index_of(ComputePath::TensorBf16)] = Flop{1e6};
  set.points.push_back(testing::made_point("far", 1, 1e-6, 10));
  EXPECT_FALSE(covers_a_roof(make_scene({set}, ceilings, {})));
}

TEST(RooflineLayoutTest, AnArrowDoesNotCrossTheNameOfARoof) {
  RooflineScene scene = scene_of(2);
  const auto roof = std::ranges::find(scene.roofs, false, &RoofLine::is_memory);
  ASSERT_NE(roof, scene.roofs.end());
  const PageText before = text_of(scene, roof->label);
  // From below to above the roof, through where the name stands.
  scene.dots[0].x = scene.dots[1].x = scene.x_high / 1.6;
  scene.dots[0].y = roof->y1 / 30;
  scene.dots[1].y = roof->y1 * 2.2;
  scene.arrows = {{.from = 0, .to = 1}};
  const PageText after = text_of(scene, roof->label);
  EXPECT_TRUE(after.x < before.x - 20 || after.y < before.y - 10) << after.x << ", " << after.y;
}

TEST(RooflineLayoutTest, EveryNoteIsToldBelowThePicture) {
  RooflineScene scene = scene_of(10);
  const double before = roofline_area(scene).bottom;
  scene.notes = {"one", "two", "three", std::string(100, 'a') + " " + std::string(100, 'b')};
  std::vector<PageText> notes = notes_below(scene);
  ASSERT_EQ(notes.size(), 5U);
  EXPECT_EQ(notes[2].text, "three");
  EXPECT_THAT(notes[4].text, HasSubstr("bbb"));
  EXPECT_GT(roofline_area(scene).bottom, before);
  for (const LegendMark& mark : legend_of(scene).marks) EXPECT_GT(mark.y, notes.front().y + 10);
  scene.notes = {"one", "type: " + std::string(300, 'x'), "two"};
  notes = notes_below(scene);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[1].text, "two");
  EXPECT_EQ(notes[2].text, "… and 1 more, which a page (.html) has");
  scene.notes.assign(30, "one of many");
  EXPECT_THAT(notes_below(scene).back().text, HasSubstr("more, which a page"));
  EXPECT_LT(roofline_area(scene).bottom, 0.5 * roofline_area(scene).top);
}

TEST(RooflineLayoutTest, AreaIsTime) {
  EXPECT_NEAR(radius_of({.share = 0.4}) / radius_of({.share = 0.1}), 2, 1e-9);
  EXPECT_GT(radius_of({.share = 0}), 1);
}

TEST(RooflinePlotTest, TextFromOutsideStaysText) {
  PointSet set{.label = "it's\nsystem('x')",
               .points = {testing::made_point("`id`'; exit", 1, 1, 1)}};
  const std::string script =
      roofline_script(make_scene({set}, datasheet("L4"), {}), PlotFormat::Svg);
  EXPECT_THAT(script, HasSubstr("it’s system(’x’)"));
  EXPECT_THAT(script, ::testing::Not(HasSubstr("'x'")));
}

TEST(RooflinePlotTest, KindsHaveColoursOfTheirOwn) {
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < kOpKinds; ++i) colours.insert(colour_of(static_cast<OpKind>(i)));
  EXPECT_EQ(colours.size(), kOpKinds);
}

TEST(RooflinePlotTest, ARoofWithoutPointsIsDrawnToo) {
  const RooflineScene scene = empty_scene(datasheet("H200"));
  EXPECT_THAT(roofline_script(scene, PlotFormat::Svg), HasSubstr("plot NaN"));
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  EXPECT_EQ(why_not(draw_roofline(scene, folder.path() / "roof.svg")), "");
  EXPECT_THAT(read_file(folder.path() / "roof.svg", Bytes{1e7}), HasSubstr("fp8 tensor"));
}

TEST(RooflinePlotTest, PicturesOfAnyCountAreWhole) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  for (const int points : {1, 10, 200}) {
    EXPECT_EQ(why_not(draw_roofline(scene_of(points), folder.path() / "a.png")), "") << points;
    EXPECT_EQ(why_not(draw_roofline(scene_of(points), folder.path() / "a.svg")), "") << points;
  }
  EXPECT_THAT(read_file(folder.path() / "a.png", Bytes{1e7}).substr(0, 60), HasSubstr("pHYs"));
  EXPECT_THAT(read_file(folder.path() / "a.svg", Bytes{1e7}), HasSubstr("DRAM 300 GB/s"));
}

TEST(RooflinePlotTest, WithoutGnuplotThereIsAReason) {
  EXPECT_THAT(why_not(draw_roofline(scene_of(1), "a.png", {.gnuplot = "/nowhere/gnuplot"})),
              HasSubstr("not installed"));
}

}  // namespace
}  // namespace ridgeline
