#include "report/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden.h"
#include "report/plotly.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> section_ids(const Page& page) {
  std::vector<std::string> ids;
  for (const auto& section : page.sections) ids.push_back(section.id);
  return ids;
}

TEST(RunPageTest, AFullRunHasEverySection) {
  EXPECT_THAT(
      section_ids(run_page(testing::full_run())),
      ElementsAre("summary", "verdicts", "rows", "charts", "samples", "warmup", "environment"));
}

TEST(RunPageTest, AnEmptyRunHasOnlyASummary) {
  const Page page = run_page({});
  EXPECT_THAT(section_ids(page), ElementsAre("summary"));
  EXPECT_THAT(page.sections[0].body, HasSubstr("0 measured"));
}

TEST(RunPageTest, ASummaryOfAComparisonGivesTheVerdictAndCountsNoRows) {
  RunDocument run = testing::full_run();
  run.rows.clear();
  run.verdicts = {{{"verdict", "slower"}, {"speedup", 0.8}, {"sentence", "B ran slower"}}};
  const std::string summary = summary_section(run).body;
  EXPECT_THAT(summary, HasSubstr("slower, 0.80 times the speed"));
  EXPECT_THAT(summary, Not(HasSubstr("measured")));
  run.verdicts = {{{"verdict", "inconclusive"}}};  // from a foreign file
  EXPECT_THAT(summary_section(run).body, HasSubstr(">inconclusive<"));
}

TEST(RunPageTest, ThePageStaysAsItIs) {
  testing::expect_golden("report.html", html_page(run_page(testing::full_run()), {}));
}

TEST(RunPageTest, UnmeasuredRowsVerdictsAndNotesAreShown) {
  RunDocument run = testing::full_run();
  run.notes = {"rows.jsonl:9: the last row was cut off and is left out"};
  const std::string html = html_page(run_page(run), {});
  EXPECT_THAT(html, HasSubstr("needs 54.51 GiB"));
  EXPECT_THAT(html, HasSubstr("out of memory in backward"));
  EXPECT_THAT(html, HasSubstr("graph ran 1.40 ± 0.03 times faster than eager"));
  EXPECT_THAT(html, HasSubstr("CPU frequency fell"));
  EXPECT_THAT(html, HasSubstr("cut off"));
  EXPECT_THAT(html, HasSubstr("8 measured, 1 skipped, 1 failed"));
}

TEST(RunPageTest, HostileTextsNeverBecomeMarkup) {
  for (const auto& text : testing::hostile_texts()) {
    RunDocument run = testing::full_run();
    run.command = text;
    run.command_line = {text};
    run.started = text;
    run.environment = {{"machine", text}, {text, {{text, text}}}};
    run.settings = {{text, text}};
    run.notes = {text};
    for (Json& row : run.rows) {
      row["label"] = text;
      row["settings"]["device"] = text;
      row["warnings"] = {text};
    }
    run.rows.back()["reason"] = text;
    run.verdicts[0]["sentence"] = text;
    (*run.warmup_study)["advice"] = text;
    (*run.warmup_study)["label"] = text;
    const std::string html = html_page(run_page(run), {.plotly_js = "PLOTLY"});
    EXPECT_THAT(html, Not(HasSubstr("<script>alert"))) << text;
    EXPECT_THAT(html, Not(HasSubstr("<img"))) << text;
    EXPECT_THAT(html, Not(HasSubstr("<!--"))) << text;
    // In the charts' JSON the quote stands behind a backslash; in markup it must not stand at all.
    EXPECT_THAT(html_page(run_page(run), {}), Not(HasSubstr("\" onmouseover"))) << text;
  }
}

TEST(SampleChartsTest, EverySampleIsThere) {
  const auto charts = sample_charts(testing::full_run().rows);
  ASSERT_EQ(charts.size(), 2U);
  ASSERT_EQ(charts[0].data.size(), 8U) << "a trace a measured row";
  EXPECT_EQ(charts[0].data[0]["x"].size(), 10U);
  EXPECT_NEAR(charts[0].data[0]["customdata"][0].get<double>(), 122.88, 1e-3);
  EXPECT_EQ(charts[1].data[0]["visible"], true);
  EXPECT_EQ(charts[1].data[7]["visible"], "legendonly");
  EXPECT_TRUE(sample_charts({testing::unmeasured_row("skipped", "x")}).empty());
}

TEST(PlotlyChartsTest, IntervalsAreDistancesFromTheValue) {
  Figure figure;
  figure.panels.push_back(
      {.title = "t",
       .x = {},
       .y = {},
       .mark = Mark::Bar,
       .series = {{.name = "<s>", .points = {{0, 10, 8, 13}, {1, 5, {}, {}}}}}});
  figure.panels[0].x.categories = {"a", "b"};
  const auto charts = plotly_charts(figure);
  ASSERT_EQ(charts.size(), 1U);
  const Json& trace = charts[0].data[0];
  EXPECT_EQ(trace["name"], "&lt;s&gt;") << "Plotly reads HTML in names";
  EXPECT_EQ(trace["x"], Json({"a", "b"}));
  EXPECT_EQ(trace["error_y"]["array"], Json({3.0, 0.0}));
  EXPECT_EQ(trace["error_y"]["arrayminus"], Json({2.0, 0.0}));
}

}  // namespace
}  // namespace ridgeline
