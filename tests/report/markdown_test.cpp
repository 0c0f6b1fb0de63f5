#include "report/markdown.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "report/sample_rows.h"

namespace ridgeline {
namespace {

TEST(MarkdownTest, ColumnsAreAlignedAndPadded) {
  const ReaderTable table{.columns = {{"Model"}, {"Time", true}},
                          .rows = {{"small", "1.00 ± 0.10"}, {"xl", "20"}}};
  EXPECT_EQ(to_markdown(table),
            "| Model |        Time |\n"
            "| ----- | ----------: |\n"
            "| small | 1.00 ± 0.10 |\n"
            "| xl    |          20 |\n");
}

TEST(MarkdownTest, MarkupIsEscaped) {
  EXPECT_EQ(markdown_escape("a|b\\c"), "a\\|b\\\\c");
  EXPECT_EQ(markdown_escape("<b>&"), "&lt;b>&amp;");
  EXPECT_EQ(markdown_escape("two\nlines"), "two lines");
}

TEST(MarkdownTest, HostileCellsStayInTheirLineAndColumn) {
  for (const auto& text : testing::hostile_texts()) {
    const std::string out = to_markdown({.columns = {{"A"}, {"B"}}, .rows = {{text, "end"}}});
    EXPECT_EQ(std::ranges::count(out, '\n'), 3) << text;
    const std::string last = out.substr(out.rfind("\n", out.size() - 2) + 1);
    std::size_t bars = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      if (last[i] == '\\') {
        ++i;
      } else if (last[i] == '|') {
        ++bars;
      }
    }
    EXPECT_EQ(bars, 3U) << last;
  }
}

}  // namespace
}  // namespace ridgeline
