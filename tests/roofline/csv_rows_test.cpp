#include "roofline/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;
using Step = CsvRows::Step;

TEST(CsvRowsTest, CellsAreViewsIntoTheText) {
  const std::string text = "\"a\",\"b, c\",\"\"\r\nd,,e\n";
  CsvRows rows(text, 0, ',');
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("a", "b, c", ""));
  EXPECT_EQ(rows.cells().front().data(), text.data() + 1);
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("d", "", "e"));
  EXPECT_EQ(rows.next(), Step::End);
}

TEST(CsvRowsTest, QuotesInsideAreDoubledAndLinesMayBreakInside) {
  CsvRows rows("\"say \"\"hi\"\"\",\"two\nlines\"\n\"x\",\"y\"", 0, ',');
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_EQ(unquoted(rows.cells()[0]), "say \"hi\"");
  EXPECT_EQ(rows.cells()[1], "two\nlines");
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("x", "y"));
  EXPECT_EQ(rows.next(), Step::End);
}

TEST(CsvRowsTest, LinesOfOtherProgramsAreNoise) {
  CsvRows rows("\"a\"\nepoch 1, loss \"2\nloose \"quote\n\"b\"\n", 0, ',');
  rows.expect_quotes(true);
  EXPECT_EQ(rows.next(), Step::Row);
  ASSERT_EQ(rows.next(), Step::Noise);
  EXPECT_EQ(rows.line(), "epoch 1, loss \"2");
  EXPECT_EQ(rows.next(), Step::Noise);
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("b"));
}

TEST(CsvRowsTest, AByteOrderMarkBeforeALineIsPassedOver) {
  CsvRows rows("\"a\"\n\xEF\xBB\xBF\"b\"\n\xEF\xBB\xBF", 0, ',');
  rows.expect_quotes(true);
  EXPECT_EQ(rows.next(), CsvRows::Step::Row);
  ASSERT_EQ(rows.next(), CsvRows::Step::Row);
  EXPECT_EQ(rows.cells().front(), "b");
  EXPECT_EQ(rows.row_offset(), 7U);
  EXPECT_EQ(rows.next(), CsvRows::Step::End);
}

TEST(CsvRowsTest, ABrokenRowCostsOneLine) {
  CsvRows rows("\"a\"x,\"b\"\n\"c\",\"d\"\n", 0, ',');
  ASSERT_EQ(rows.next(), Step::Broken);
  EXPECT_EQ(rows.row_offset(), 0U);
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("c", "d"));
}

TEST(CsvRowsTest, AQuoteLeftOpenByTheEndIsACut) {
  CsvRows rows("\"a\",\"b\"\n\"c\",\"d", 0, ',');
  EXPECT_EQ(rows.next(), Step::Row);
  EXPECT_EQ(rows.next(), Step::CutOff);
  EXPECT_EQ(rows.next(), Step::End);
}

TEST(CsvRowsTest, OtherDelimitersAndAnyStartWork) {
  CsvRows rows("skip\na;\"b;c\"\n", 5, ';');
  ASSERT_EQ(rows.next(), Step::Row);
  EXPECT_THAT(rows.cells(), ElementsAre("a", "b;c"));
  CsvRows nothing("", 0, ',');
  EXPECT_EQ(nothing.next(), Step::End);
}

}  // namespace
}  // namespace ridgeline
