#include "report/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/process.h"
#include "core/temporary_folder.h"
#include "report/bench_figure.h"
#include "report/gnuplot_text.h"
#include "report/golden.h"
#include "report/plotly.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GnuplotTextTest, WhatTheFontLacksIsABox) {
  EXPECT_EQ(within_font("run 🚀 日本, 2 × µs → “ok” ≤ □"), "run □ □□, 2 × µs → “ok” ≤ □");
  EXPECT_EQ(within_font("👩‍🚀⚙️"), "□□⚙");
  EXPECT_EQ(within_font("set terminal pngcairo\n"), "set terminal pngcairo\n");
}

class DrawTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  }
  TemporaryFolder folder_;
};

std::string why_not(const DrawOutcome& outcome) {
  const auto* not_drawn = std::get_if<NotDrawn>(&outcome);
  return not_drawn == nullptr ? "" : not_drawn->reason;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(GnuplotTextTest, QuotesAndControlCharactersAreHarmless) {
  EXPECT_EQ(gnuplot_quoted("it's"), "'it’s'");
  EXPECT_EQ(gnuplot_quoted("a\nb\\"), "'a b\\'");
  EXPECT_EQ(gnuplot_tick_label("50 %n"), "'50 %%n'");
}

TEST(GnuplotScriptTest, ScriptsStayAsTheyAre) {
  testing::expect_golden("bench.gp",
                         gnuplot_script(bench_figure(testing::full_run().rows), PlotFormat::Png));
  testing::expect_golden("warmup.gp",
                         gnuplot_script(warmup_figure(testing::warmup_study()), PlotFormat::Svg));
}

Figure stacked() {
  Panel panel{.title = "Memory",
              .x = {.label = "ms", .logarithmic = false, .categories = {}},
              .y = {.label = "MiB", .logarithmic = false, .categories = {}},
              .mark = Mark::Area,
              .series = {}};
  const auto point = [](double x, double y) {
    return Point{.x = x, .y = y, .low = {}, .high = {}};
  };
  panel.series.push_back({.name = "low", .points = {point(0, 2), point(1, 2), point(3, 1)}});
  panel.series.push_back(
      {.name = "it's high", .points = {point(0, 0), point(1, 5), point(3, 1)}, .colour = 7});
  panel.callouts.push_back({.x = 1, .y = 7, .text = "peak `id` 'here'"});
  return {.title = "Areas", .panels = {panel}};
}

TEST(GnuplotScriptTest, AreasStackAndHoldTheirValueUntilTheNext) {
  const std::string script = gnuplot_script(stacked(), PlotFormat::Svg);
  EXPECT_THAT(script, HasSubstr("$points_0_0 << END\n0 0 2\n1 0 2\n1 0 2\n3 0 2\n3 0 1\nEND\n"));
  EXPECT_THAT(script, HasSubstr("$points_0_1 << END\n0 2 2\n1 2 2\n1 2 7\n3 2 7\n3 1 2\nEND\n"));
  EXPECT_THAT(script, HasSubstr("set label 'peak `id` ’here’' at 1,7"));
  EXPECT_THAT(script, HasSubstr("set yrange [0:7.84]"));
  EXPECT_THAT(script, HasSubstr("fillcolor rgb '#B5BBC4'")) << "one beyond the palette is pale";
}

TEST_F(DrawTest, StackedAreasAreDrawn) {
  EXPECT_EQ(why_not(draw(stacked(), folder_.path() / "areas.png")), "");
  EXPECT_EQ(why_not(draw(stacked(), folder_.path() / "areas.svg")), "");
  EXPECT_THAT(read_file(folder_.path() / "areas.svg", {1e7}), HasSubstr("peak `id`"));
}

TEST(PlotlyTest, AreasStackAndCalloutsAreText) {
  Figure figure = stacked();
  figure.panels[0].callouts[0].text = "<b>peak</b>";
  const std::vector<Chart> charts = plotly_charts(figure);
  ASSERT_EQ(charts.size(), 1);
  for (const Json& trace : charts[0].data) {
    EXPECT_EQ(trace.at("stackgroup"), "all");
    EXPECT_EQ(trace.at("line").at("shape"), "hv");
  }
  EXPECT_FALSE(charts[0].data[0].at("line").contains("color"));
  EXPECT_EQ(charts[0].data[1].at("line").at("color"), "#9AA4B1") << "one beyond the palette";
  const Json& note = charts[0].layout.at("annotations").at(0);
  EXPECT_EQ(note.at("y"), 7);
  EXPECT_EQ(note.at("text").get<std::string>().find('<'), std::string::npos);
}

TEST_F(DrawTest, PngAndSvgAreWhole) {
  const Figure figure = bench_figure(testing::full_run().rows);
  EXPECT_EQ(why_not(draw(figure, folder_.path() / "plots/bench.png")), "");
  EXPECT_EQ(why_not(draw(figure, folder_.path() / "plots/bench.svg")), "");
  EXPECT_THAT(read_file(folder_.path() / "plots/bench.png", {1e7}), StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(folder_.path() / "plots/bench.svg", {1e7}), HasSubstr("medium"));
  EXPECT_EQ(files_in(folder_.path() / "plots"), 2U) << "nothing else is left";
}

TEST_F(DrawTest, HostileNamesAreDrawnAsText) {
  Rows bars;
  Rows lines;
  for (const auto& text : testing::hostile_texts()) {
    bars.push_back(testing::plain_row(text, 1, 128, 0.1));
    lines.push_back(testing::plain_row(text, 1, 128, 0.1));
    lines.push_back(testing::plain_row(text, 1, 256, 0.2));
  }
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const auto first = draw(bench_figure(bars), "bars.svg");
  const auto second = draw(bench_figure(lines), "lines.svg");
  fs::current_path(before);
  EXPECT_EQ(why_not(first), "");
  EXPECT_EQ(why_not(second), "");
  EXPECT_EQ(files_in(folder_.path()), 2U) << "no name was run as a command";
  const std::string svg = read_file(folder_.path() / "bars.svg", {1e7});
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("%s%n%d"));
}

TEST_F(DrawTest, AnEmptyFigureGivesAReason) {
  EXPECT_EQ(why_not(draw({}, folder_.path() / "x.png")), "no row has numbers to plot");
}

TEST(DrawWithoutGnuplotTest, AMissingProgramGivesAReason) {
  const TemporaryFolder folder;
  const auto outcome = draw(bench_figure(testing::full_run().rows), folder.path() / "x.png",
                            {.gnuplot = "no-such-gnuplot"});
  EXPECT_EQ(why_not(outcome), "no-such-gnuplot is not installed");
  EXPECT_FALSE(fs::exists(folder.path() / "x.png"));
}

TEST(DrawWithoutGnuplotTest, AProgramThatDrawsNothingGivesAReason) {
  const TemporaryFolder folder;
  const auto outcome =
      draw(bench_figure(testing::full_run().rows), folder.path() / "x.png", {.gnuplot = "true"});
  EXPECT_EQ(why_not(outcome), "true failed: it gave no reason");
  EXPECT_FALSE(fs::exists(folder.path() / "x.png"));
}

TEST(DrawWithoutGnuplotTest, OnlyPngAndSvgAreKnown) {
  EXPECT_THROW(static_cast<void>(draw({}, "x.pdf")), Error);
}

}  // namespace
}  // namespace ridgeline
