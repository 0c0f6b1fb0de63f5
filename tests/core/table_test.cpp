#include "core/table.h"

#include <gtest/gtest.h>

#include "core/display.h"
#include "core/error.h"

namespace ridgeline {
namespace {

TEST(DisplayTest, WidthIsCountedInColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("12.3 µs"), 7U);
  EXPECT_EQ(display_width("1.0 ± 0.1 × …"), 13U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("模型"), 4U);
  EXPECT_EQ(display_width("\xff\xc3"), 2U);
}

TEST(DisplayTest, ControlCharactersAndBrokenBytesAreBlanked) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc"), "a [2Jb c");
  EXPECT_EQ(printable("\xff µ"), "? µ");
  EXPECT_EQ(printable("x\u202Ey"), "x y");
  EXPECT_EQ(printable("\u009B"), " ");
}

TEST(DisplayTest, ShorteningKeepsWholeCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("µµµµ", 2), "µ…");
  EXPECT_EQ(shortened("模型模型", 4), "模…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(TableTest, ColumnsAlignByWhatTheEyeSees) {
  Table table({{.title = "phase"}, {.title = "median", .right_aligned = true}});
  table.add({"forward", "12.3 µs"});
  table.add({"±", "152.30 ms"});
  EXPECT_EQ(table.to_text(),
            "phase       median\n"
            "-------  ---------\n"
            "forward    12.3 µs\n"
            "±        152.30 ms\n");
}

TEST(TableTest, NoLineEndsInBlanks) {
  Table table({{.title = "a", .right_aligned = true}, {.title = "long title"}});
  table.add({"1", "x"});
  EXPECT_EQ(table.to_text(), "a  long title\n-  ----------\n1  x\n");
}

TEST(TableTest, ACellCannotBreakTheLine) {
  Table table({{.title = "op"}});
  table.add({"two\nlines"});
  EXPECT_EQ(table.to_text(), "op\n---------\ntwo lines\n");
}

TEST(TableTest, ARowOfTheWrongLengthIsOurMistake) {
  Table table({{.title = "a"}, {.title = "b"}});
  EXPECT_THROW(table.add({"only one"}), Error);
}

}  // namespace
}  // namespace ridgeline
