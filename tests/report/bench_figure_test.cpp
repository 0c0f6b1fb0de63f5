#include "report/bench_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> series_names(const Panel& panel) {
  std::vector<std::string> names;
  for (const auto& series : panel.series) names.push_back(series.name);
  return names;
}

TEST(BenchFigureTest, OneSizeOverContextsIsALineAPhase) {
  const Figure figure = bench_figure(
      {testing::step_row("small", 1, 512, 0.4), testing::step_row("small", 1, 128, 0.1)});
  ASSERT_EQ(figure.panels.size(), 2U);
  const Panel& time = figure.panels[0];
  EXPECT_EQ(time.mark, Mark::Line);
  EXPECT_EQ(time.x.label, "Context");
  EXPECT_THAT(series_names(time), ElementsAre("forward", "backward", "optimizer", "total"));
  EXPECT_EQ(time.series[0].points[0].x, 128) << "points are in the order of x";
  EXPECT_NEAR(time.series[0].points[0].y, 100.1, 1e-9) << "in milliseconds";
  EXPECT_LT(*time.series[0].points[0].low, time.series[0].points[0].y);
  EXPECT_GT(*time.series[0].points[0].high, time.series[0].points[0].y);
  EXPECT_EQ(figure.panels[1].title, "Throughput");
}

TEST(BenchFigureTest, SeveralSizesOverContextsAreAPanelAPhase) {
  const Figure figure = bench_figure(testing::full_run().rows);
  ASSERT_EQ(figure.panels.size(), 5U);
  EXPECT_EQ(figure.panels[0].title, "Time, forward");
  EXPECT_THAT(series_names(figure.panels[0]), ElementsAre("small", "medium"));
  EXPECT_EQ(figure.panels[0].series[0].points.size(), 4U) << "rows without numbers leave gaps";
}

TEST(BenchFigureTest, SizesAloneAreBars) {
  const Figure figure = bench_figure(
      {testing::plain_row("small", 1, 128, 0.1), testing::plain_row("medium", 2, 128, 0.3), [] {
         Json row = testing::unmeasured_row("failed", "out of memory");
         row["settings"]["context_length"] = 128;
         return row;
       }()});
  ASSERT_EQ(figure.panels.size(), 1U) << "no throughput was measured";
  EXPECT_EQ(figure.panels[0].mark, Mark::Bar);
  EXPECT_THAT(figure.panels[0].x.categories, ElementsAre("small", "medium", "2.7B (failed)"));
}

TEST(BenchFigureTest, NothingMeasuredGivesNoPanel) {
  EXPECT_TRUE(bench_figure({}).panels.empty());
  EXPECT_TRUE(bench_figure({testing::unmeasured_row("skipped", "x")}).panels.empty());
}

TEST(BenchFigureTest, TooManyLinesAreCutAndSaidSo) {
  Rows rows;
  for (int size = 0; size < 15; ++size) {
    for (const int context : {128, 256}) {
      rows.push_back(testing::plain_row("size" + std::to_string(size), 1, context, 0.1));
    }
  }
  const Figure figure = bench_figure(rows);
  EXPECT_EQ(figure.panels[0].series.size(), 10U);
  EXPECT_EQ(figure.panels[0].title, "Time, forward (first 10 of 15)");
}

TEST(BenchFigureTest, AWideRangeIsLogarithmic) {
  const auto axes = [](double last) {
    return bench_figure({testing::plain_row("small", 1, 128, 0.1),
                         testing::plain_row("small", 1, 1024, last)})
        .panels[0];
  };
  EXPECT_TRUE(axes(10).y.logarithmic);
  EXPECT_TRUE(axes(10).x.logarithmic);
  EXPECT_FALSE(axes(0.12).y.logarithmic);
}

TEST(WarmupFigureTest, TimeAndSpreadAgainstSteps) {
  const Figure figure = warmup_figure(testing::warmup_study());
  ASSERT_EQ(figure.panels.size(), 2U);
  EXPECT_THAT(figure.panels[0].x.categories, ElementsAre("0", "1", "2", "5", "10"));
  EXPECT_EQ(figure.panels[1].y.label, "CV (%)");
  EXPECT_TRUE(warmup_figure(Json::object()).panels.empty());
}

}  // namespace
}  // namespace ridgeline
