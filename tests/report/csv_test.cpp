#include "report/csv.h"

#include <clocale>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

// An independent reader of RFC 4180.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(row);
      row = {""};
    } else {
      row.back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  return rows;
}

TEST(CsvTest, PlainCellsAreNotQuoted) {
  EXPECT_EQ(to_csv({.header = {"a", "b"}, .rows = {{"1", ""}, {"x y", "2"}}}), "a,b\n1,\nx y,2\n");
}

TEST(CsvTest, CommasQuotesAndLineBreaksAreQuoted) {
  EXPECT_EQ(to_csv({.header = {"h"}, .rows = {{"a,b"}, {"say \"x\""}, {"two\nlines"}}}),
            "h\n\"a,b\"\n\"say \"\"x\"\"\"\n\"two\nlines\"\n");
}

TEST(CsvTest, HostileTextsReadBackAsTheyWere) {
  CsvTable table{.header = {"text", "number"}, .rows = {}};
  for (const auto& text : testing::hostile_texts()) table.rows.push_back({text, "1"});
  const auto back = read_csv(to_csv(table));
  ASSERT_EQ(back.size(), table.rows.size() + 1);
  for (std::size_t i = 0; i < table.rows.size(); ++i) EXPECT_EQ(back[i + 1], table.rows[i]);
}

TEST(CsvTest, ALoneEmptyCellIsNotABlankLine) {
  EXPECT_EQ(to_csv({.header = {"h"}, .rows = {{""}}}), "h\n\"\"\n");
}

TEST(CsvTest, NumbersHaveNineDigitsAndAPoint) {
  EXPECT_EQ(csv_number(152.3), "152.3");
  EXPECT_EQ(csv_number(1.0 / 3), "0.333333333");
  EXPECT_EQ(csv_number(0.1523 * 1e3), "152.3");
  EXPECT_EQ(csv_integer(3406809600.0), "3406809600");
}

TEST(CsvTest, TheLocaleDoesNotChangeNumbers) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name) == nullptr) continue;
    EXPECT_EQ(csv_number(1.5), "1.5") << name;
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(CsvTest, AbsentAndNonFiniteNumbersAreEmpty) {
  EXPECT_EQ(csv_number(std::nullopt), "");
  EXPECT_EQ(csv_number(std::nan("")), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_integer(std::nullopt), "");
}

TEST(CsvTest, ARowOfAnotherWidthIsOurMistake) {
  EXPECT_THROW(static_cast<void>(to_csv({.header = {"a", "b"}, .rows = {{"1"}}})), Error);
}

}  // namespace
}  // namespace ridgeline
