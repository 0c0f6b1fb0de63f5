#include "data/csv.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using Cells = std::vector<std::string>;

CsvContent parsed(std::string_view text) { return parse_csv(text, "t.csv"); }

std::string refused(std::string_view text, const CsvLimits& limits = {}) {
  return message_of(Fault::BadInput, [&] { (void)parse_csv(text, "t.csv", limits); });
}

TEST(CsvTest, PlainCellsComeAsTheyAre) {
  const CsvContent content = parsed("a,b\n1,2\n, x \n");
  EXPECT_EQ(content.header, (Cells{"a", "b"}));
  EXPECT_EQ(content.rows, (Rows{{"1", "2"}, {"", " x "}}));
}

TEST(CsvTest, QuotedCellsHoldCommasQuotesAndLineBreaks) {
  EXPECT_EQ(parsed("a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\n").rows,
            (Rows{{"x, y", "say \"hi\""}, {"two\nlines", ""}}));
}

TEST(CsvTest, LinesEndInEitherWayAndTheLastNeedsNone) {
  EXPECT_EQ(parsed("a,b\r\n1,2\r\n\"3\",\"4\"\r\n").rows, (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(parsed("a,b\n1,2").rows, (Rows{{"1", "2"}}));
  EXPECT_EQ(parsed("a,b\n1,\"2\"").rows, (Rows{{"1", "2"}}));
  EXPECT_EQ(parsed("a,b\n1,").rows, (Rows{{"1", ""}}));
}

TEST(CsvTest, AByteOrderMarkAndEmptyLinesAreSkipped) {
  const CsvContent content = parsed("\xef\xbb\xbf\n a,b\n\n1,2\r\n\r\n");
  EXPECT_EQ(content.header, (Cells{" a", "b"}));
  EXPECT_EQ(content.rows, (Rows{{"1", "2"}}));
}

TEST(CsvTest, AQuoteInsideAPlainCellIsText) {
  EXPECT_EQ(parsed("a\n5\" disk\n").rows, (Rows{{"5\" disk"}}));
}

TEST(CsvTest, RowsKnowTheirLine) {
  EXPECT_EQ(parsed("a\n\"1\n2\n3\"\n4\n\n5\n").lines, (std::vector<std::size_t>{2, 5, 7}));
}

TEST(CsvTest, MalformedTextIsRefusedWithLineAndColumn) {
  EXPECT_TRUE(refused("a,b\n1,\"2\n3\n").starts_with("t.csv:2:3: a quote that is never closed"));
  EXPECT_TRUE(refused("a,b\n1,\"2\"x\n").starts_with("t.csv:2:6: text after a closing quote"));
  EXPECT_TRUE(refused("a,b\n\"1\n1\"x,2\n").starts_with("t.csv:3:3: text after"));
  EXPECT_TRUE(refused("a,b\n1,2\n1,2,3\n").starts_with("t.csv:3: 3 cells, but the header has 2"));
  EXPECT_TRUE(refused(std::string_view("a\nx\0y\n", 6)).starts_with("t.csv:2:1: a NUL byte"));
  EXPECT_TRUE(refused("").starts_with("t.csv: no header"));
  EXPECT_TRUE(refused("\n\n").starts_with("t.csv: no header"));
}

TEST(CsvTest, LimitsHold) {
  refused("a\n12345\n", {.cell = 4});
  refused("a\n\"12345\"\n", {.cell = 4});
  refused("a,b,c\n", {.columns = 2});
  EXPECT_EQ(parse_csv("a,b\n1234,\n", "t.csv", {.cell = 4, .columns = 2}).rows.size(), 1U);
  const TemporaryFolder folder;
  folder.put("t.csv", "a\n1\n");
  message_of(Fault::Io, [&] { (void)read_csv(folder.path() / "t.csv", {.file = Bytes{3}}); });
  EXPECT_EQ(read_csv(folder.path() / "t.csv").rows, (Rows{{"1"}}));
}

TEST(CsvTest, AColumnIsFoundByItsName) {
  const CsvContent content = parsed("text,category\nx,y\n");
  EXPECT_EQ(column_of(content, "category"), 1U);
  EXPECT_NE(message_of(Fault::BadInput, [&] { (void)column_of(content, "categroy"); })
                .find("did you mean 'category'"),
            std::string::npos);
}

std::string in_quotes(const std::string& cell) {
  std::string text = "\"";
  for (const char letter : cell) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

TEST(CsvTest, WhateverIsQuotedComesBack) {
  Random random(1);
  const Cells pieces{"a", " ", ",", "\"", "\n", "\r\n", "\r", "µ", "", "\"\""};
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t width = 1 + random.below(4);
    Rows rows(1 + random.below(5), Cells(width));
    std::string text;
    for (Cells& row : rows) {
      for (std::string& cell : row) {
        for (std::size_t left = random.below(6); left > 0; --left)
          cell += pieces[random.below(pieces.size())];
        text += (&cell == &row.front() ? "" : ",") + in_quotes(cell);
      }
      text += random.below(2) == 0 ? "\n" : "\r\n";
    }
    const CsvContent content = parsed(text);
    EXPECT_EQ(content.header, rows.front());
    EXPECT_EQ(content.rows, Rows(rows.begin() + 1, rows.end())) << text;
  }
}

TEST(CsvTest, DamagedTextIsRefusedOrStillATable) {
  const std::string whole = "a,b\n\"x, y\",\"say \"\"hi\"\"\"\r\n\"two\nlines\",\"\"\n1,2";
  Random random(2);
  int accepted = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text = whole;
    for (std::size_t left = 1 + random.below(3); left > 0; --left) {
      const std::string letters("\",\n\r\0x", 6);
      text[random.below(text.size())] = letters[random.below(letters.size())];
    }
    try {
      const CsvContent content = parsed(text);
      for (const Cells& row : content.rows) EXPECT_EQ(row.size(), content.header.size());
      ++accepted;
    } catch (const Error& error) {
      EXPECT_TRUE(error.fault() == Fault::BadInput);
      EXPECT_TRUE(std::string_view(error.what()).starts_with("t.csv:")) << error.what();
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 2000);
}

// RIDGELINE_DATA names a folder with real data sets.
TEST(CsvTest, Banking77IsReadWhole) {
  const char* data = std::getenv("RIDGELINE_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(data == nullptr ? "../shared/data" : data) / "intents/banking77";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder << " here";
  for (const auto& [name, rows] : {std::pair{"train.csv", 10003U}, std::pair{"test.csv", 3080U}}) {
    const CsvContent content = read_csv(folder / name);
    EXPECT_EQ(content.header, (Cells{"text", "category"}));
    EXPECT_EQ(content.rows.size(), rows);
    for (const Cells& row : content.rows) EXPECT_EQ(row[1].find(' '), std::string::npos);
  }
}

}  // namespace
}  // namespace ridgeline
