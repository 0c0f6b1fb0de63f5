#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_text.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlTextTest, MarkupBecomesText) {
  EXPECT_EQ(html_escape("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(html_escape(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(html_escape("a\nb\tc\rd"), "a\nb\tc d");  // lines and columns stay
}

TEST(HtmlTextTest, LinesWithADashAreAList) {
  EXPECT_EQ(html_prose("- a\n- b <i>\n\nc"),
            "<ul>\n<li>a</li>\n<li>b &lt;i&gt;</li>\n</ul>\n<p>c</p>\n");
  EXPECT_EQ(html_prose(""), "");
}

TEST(HtmlTextTest, ScriptJsonReadsBackAndHoldsNoMarkup) {
  Json value = Json::array();
  for (const auto& text : testing::hostile_texts()) value.push_back(text);
  const std::string out = script_json(value);
  EXPECT_EQ(Json::parse(out), value);
  EXPECT_EQ(out.find_first_of("<>&\n"), std::string::npos);
  EXPECT_EQ(out.find("\xE2\x80\xA8"), std::string::npos) << "U+2028 is an escape";
}

TEST(HtmlTextTest, ScriptJsonTakesBytesThatAreNoUtf8) {
  EXPECT_EQ(script_json(Json("a\xFF")), "\"a\\ufffd\"");
}

TEST(HtmlTextTest, ASourceCannotEndItsElement) {
  EXPECT_EQ(script_source("a = '</script>' + \"</SCRIPT \" + '</b>'"),
            "a = '<\\/script>' + \"<\\/SCRIPT \" + '</b>'");
  EXPECT_EQ(script_source(""), "");
  EXPECT_EQ(script_source("</scrip"), "</scrip");
}

Page page_with_chart() {
  Chart chart{.title = "Time <b>"};
  chart.data.push_back({{"y", {1, 2}}});
  return {.title = "T & T",
          .subtitle = "<sub>",
          .sections = {{.id = "one", .title = "One", .body = "<p>body</p>", .charts = {chart}}}};
}

TEST(HtmlPageTest, WithoutPlotlyChartsBecomeANote) {
  const std::string html = html_page(page_with_chart(), {});
  EXPECT_THAT(html, HasSubstr("Charts are left out"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("<title>T &amp; T</title>"));
  EXPECT_THAT(html, HasSubstr("&lt;sub&gt;"));
}

TEST(HtmlPageTest, ChartsComeWithTheirDataAndTheScript) {
  const std::string html = html_page(page_with_chart(), {.plotly_js = "PLOTLY();"});
  EXPECT_THAT(html, HasSubstr("<script>PLOTLY();</script>"));
  EXPECT_THAT(html, HasSubstr("Time &lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("id=\"chart-0\""));
  EXPECT_THAT(html, HasSubstr("[{\"data\":[{\"y\":[1,2]}],\"id\":\"chart-0\",\"layout\":{}}]"));
}

TEST(HtmlPageTest, APageWithoutChartsCarriesNoScript) {
  Page page = page_with_chart();
  page.sections[0].charts.clear();
  const std::string html = html_page(page, {.plotly_js = "PLOTLY();"});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("left out")));
}

TEST(HtmlPageTest, NothingIsLoadedFromElsewhere) {
  const std::string html = html_page(page_with_chart(), {.plotly_js = "x"});
  EXPECT_THAT(html, Not(HasSubstr("http:")));
  EXPECT_THAT(html, Not(HasSubstr("https:")));
  EXPECT_THAT(html, Not(HasSubstr("src=\"")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace ridgeline
