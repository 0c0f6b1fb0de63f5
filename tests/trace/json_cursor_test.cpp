#include "trace/json_cursor.h"

#include <gtest/gtest.h>

#include "trace/json_skipper.h"

namespace ridgeline {
namespace {

std::string padded(std::string_view text) { return std::string(text) + std::string(64, '\0'); }

TEST(JsonCursorTest, NumbersAreExactAtTheirScale) {
  EXPECT_EQ(scaled_number("4203669604595.407", 3), 4203669604595407);
  EXPECT_EQ(scaled_number("1623143093496523", 3), 1623143093496523000);
  EXPECT_EQ(scaled_number("-0.0015", 3), -2);
  EXPECT_EQ(scaled_number("12.", 1), 120);
  EXPECT_EQ(scaled_number("1.5e3", 0), 1500);
  for (const char* const bad :
       {"", "-", ".", "NaN", "inf", "N/A", "1e400", "99999999999999999999", "1x", "0x10"}) {
    EXPECT_EQ(scaled_number(bad, 0), std::nullopt) << bad;
  }
}

TEST(JsonCursorTest, ANumberReadInPlaceEqualsTheSameNumberAlone) {
  for (const std::string text :
       {"1", "-7.25", "123456789012345.678", "1234567890123456.7", "2e2", "0.0004", "5.9999",
        "1623143093496523", "-1623143093496523.25", "2999999999999999.999", "3000000000000000",
        "3000000000000000.001", "999999999999999999", "1000000000000000000", "12.", "00012", "-"}) {
    const std::string line = padded(text + ",");
    JsonCursor cursor(std::string_view(line.data(), text.size() + 1));
    std::optional<std::int64_t> found;
    ASSERT_TRUE(cursor.number(3, found)) << text;
    EXPECT_EQ(found, scaled_number(text, 3)) << text;
    EXPECT_EQ(cursor.next(), ',') << text;
  }
}

TEST(JsonCursorTest, AWordAtTheEndOfTheTextMayGoOn) {
  const std::string line = padded("12");
  JsonCursor cursor(std::string_view(line.data(), 2));
  std::optional<std::int64_t> found;
  EXPECT_FALSE(cursor.number(0, found));
  EXPECT_TRUE(cursor.starved());
}

TEST(JsonCursorTest, EveryCutOfAValueStarvesInsteadOfFailing) {
  const std::string value = R"({"a\"]": ["}", {"b": [NaN, -1.5e3, "\\"]}], "c": {}})";
  for (std::size_t size = 1; size < value.size(); ++size) {
    const std::string line = padded(value.substr(0, size));
    JsonCursor cursor(std::string_view(line.data(), size));
    EXPECT_FALSE(cursor.skip_value()) << size;
    EXPECT_TRUE(cursor.starved()) << size;
  }
  const std::string line = padded(value + "]");
  JsonCursor cursor(std::string_view(line.data(), value.size() + 1));
  ASSERT_TRUE(cursor.skip_value());
  EXPECT_EQ(cursor.next(), ']');
}

TEST(JsonCursorTest, StringsEndWhereTheyEndWhateverTheirLength) {
  for (std::size_t size = 0; size < 150; ++size) {
    for (const std::string_view end : {"", "\\\"", "\\\\", "\\"}) {
      const std::string content = std::string(size, '{') + std::string(end);
      const bool open = end == "\\";  // the escape takes the quote
      const std::string line = padded("  \"" + content + "\",");
      const std::string_view text(line.data(), line.size() - 64);
      JsonCursor cursor(text);
      RawString found;
      ASSERT_EQ(cursor.string(found), !open) << content;
      EXPECT_EQ(cursor.starved(), open);
      if (open) continue;
      EXPECT_EQ(found.text, content);
      EXPECT_EQ(found.escaped, !end.empty());
      EXPECT_EQ(cursor.next(), ',');
      for (std::size_t cut = 0; cut < text.size() - 1; ++cut) {
        const std::string part = padded(text.substr(0, cut));
        JsonCursor early(std::string_view(part.data(), cut));
        EXPECT_FALSE(early.string(found));
        EXPECT_TRUE(early.starved()) << cut;
      }
    }
  }
}

TEST(JsonCursorTest, BlanksOfAnyNumberArePassed) {
  for (std::size_t blanks = 0; blanks < 80; ++blanks) {
    for (const char blank : {' ', '\n', '\t', '\0', '\x1f'}) {
      const std::string line = padded(std::string(blanks, blank) + "\xc2");
      JsonCursor cursor(std::string_view(line.data(), blanks + 1));
      EXPECT_EQ(cursor.next(), '\xc2') << blanks;
      EXPECT_FALSE(cursor.starved());
      JsonCursor none(std::string_view(line.data(), blanks));
      (void)none.next();
      EXPECT_TRUE(none.starved()) << blanks;
      EXPECT_EQ(none.place(), line.data() + blanks);
    }
  }
}

TEST(JsonCursorTest, EscapesAreResolvedAndBadOnesStay) {
  EXPECT_EQ(unescaped(R"(a\n\t\"\\\/b)"), "a\n\t\"\\/b");
  EXPECT_EQ(unescaped(R"(\u00b5\ud83d\ude00)"), "µ😀");
  EXPECT_EQ(unescaped(R"(\ud83dx)"), "\xef\xbf\xbdx");
  EXPECT_EQ(unescaped(R"(\u12)"), R"(\u12)");
  EXPECT_EQ(unescaped("\\"), "\\");
}

TEST(JsonSkipperTest, AValueInPiecesOfAnySizeEndsWhereItEnds) {
  const std::string text = R"(  {"a": "}\"", "b": [1, [2]]} , 3)";
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    JsonSkipper skipper;
    std::size_t at = 0;
    while (!skipper.done() && at < text.size()) at += skipper.feed(text.substr(at, piece));
    EXPECT_EQ(at, text.find(" ,")) << piece;
  }
  JsonSkipper word;
  EXPECT_EQ(word.feed("12.5,"), 4U);
  EXPECT_TRUE(word.done());
}

}  // namespace
}  // namespace ridgeline
