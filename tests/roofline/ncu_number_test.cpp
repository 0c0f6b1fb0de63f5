#include "roofline/ncu_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

std::optional<double> with_point(std::string_view text) {
  MarkEvidence evidence;
  return ncu_number(text, DecimalMark::Point, evidence);
}

std::optional<double> with_comma(std::string_view text) {
  MarkEvidence evidence;
  return ncu_number(text, DecimalMark::Comma, evidence);
}

TEST(NcuNumberTest, ThousandsArePartedByCommasWhereThePointIsDecimal) {
  EXPECT_EQ(with_point("159,383,552"), 159383552.0);
  EXPECT_EQ(with_point("1,215,000,000.50"), 1215000000.5);
  EXPECT_EQ(with_point("96.99"), 96.99);
  EXPECT_EQ(with_point("0"), 0.0);
  EXPECT_EQ(with_point("-3.5"), -3.5);
  EXPECT_EQ(with_point("1.5e+09"), 1.5e9);
  EXPECT_EQ(with_point("2E-3"), 2e-3);
}

TEST(NcuNumberTest, ThousandsArePartedByPointsBlanksOrApostrophesElsewhere) {
  EXPECT_EQ(with_comma("159.383.552"), 159383552.0);
  EXPECT_EQ(with_comma("1.215,5"), 1215.5);
  EXPECT_EQ(with_comma("1 234,5"), 1234.5);
  EXPECT_EQ(with_comma("1\xC2\xA0"
                       "234\xE2\x80\xAF"
                       "567"),
            1234567.0);
  EXPECT_EQ(with_comma("1’234’567,5"), 1234567.5);
  EXPECT_EQ(with_point("1'234'567.25"), 1234567.25);
}

TEST(NcuNumberTest, InstancesAndPercentSignsAreNotPartOfTheNumber) {
  EXPECT_EQ(with_point("1,234 (600; 634)"), 1234.0);
  EXPECT_EQ(with_point("12.5 %"), 12.5);
}

TEST(NcuNumberTest, WhatWasMeantToBeANumberHasDigits) {
  for (const std::string_view text : {"1*234", "0x5", "1e999"}) EXPECT_TRUE(has_digits(text));
  for (const std::string_view text : {"n/a", "nan", "", "(!) 12"}) EXPECT_FALSE(has_digits(text));
}

TEST(NcuNumberTest, WhatIsNoNumberIsAbsent) {
  for (const std::string_view text :
       {"", " ", "n/a", "nan", "-nan", "inf", "(!) nan", "(!) 12", "12abc", "e5", ".", ",", "--1",
        "1e", "1e999", "no data", "'", "1234567890123456789012345678901234567890123456789"})
    EXPECT_FALSE(with_point(text)) << text;
}

TEST(NcuNumberTest, NoLengthOfDigitsAndExponentLeavesTheBuffer) {
  for (std::size_t digits = 1; digits < 70; ++digits) {
    for (const std::string_view tail : {"", "e1", "e12", "e123", "e1234", "e12345", "e+1",
                                        "e-12345", "e123456789", ".", ".5e12345"}) {
      const std::string text = std::string(digits, '1') + std::string(tail);
      EXPECT_TRUE(text.size() <= 49 || !with_point(text)) << text;
      (void)with_comma(text);
    }
  }
  EXPECT_EQ(with_point("1" + std::string(40, '0')), 1e40);
}

TEST(NcuNumberTest, OnlyUnambiguousNumbersAreEvidence) {
  const auto evidence_of = [](std::string_view text) {
    MarkEvidence evidence;
    (void)ncu_number(text, DecimalMark::Point, evidence);
    return std::pair(evidence.point, evidence.comma);
  };
  const std::pair kNone(false, false);
  const std::pair kPoint(true, false);
  const std::pair kComma(false, true);
  EXPECT_EQ(evidence_of("1,234"), kNone);
  EXPECT_EQ(evidence_of("1.234"), kNone);
  EXPECT_EQ(evidence_of("1234"), kNone);
  EXPECT_EQ(evidence_of("n/a"), kNone);
  EXPECT_EQ(evidence_of("1,234,567"), kPoint);
  EXPECT_EQ(evidence_of("1,234.5"), kPoint);
  EXPECT_EQ(evidence_of("96.99"), kPoint);
  EXPECT_EQ(evidence_of("0.125"), kPoint);
  EXPECT_EQ(evidence_of("1234.567"), kPoint);
  EXPECT_EQ(evidence_of("1.234.567"), kComma);
  EXPECT_EQ(evidence_of("1.234,5"), kComma);
  EXPECT_EQ(evidence_of("96,99"), kComma);
  EXPECT_EQ(evidence_of("0,125"), kComma);
}

TEST(NcuUnitTest, PrefixesAreDecimal) {
  EXPECT_EQ(ncu_unit("byte"), 1.0);
  EXPECT_EQ(ncu_unit("Kbyte"), 1e3);
  EXPECT_EQ(ncu_unit("Mbyte"), 1e6);
  EXPECT_EQ(ncu_unit("Gbyte"), 1e9);
  EXPECT_EQ(ncu_unit("KB"), 1e3);
  EXPECT_EQ(ncu_unit("KiB"), 1024.0);
}

TEST(NcuUnitTest, TimesAreSpeltOutOrShort) {
  EXPECT_EQ(ncu_unit("nsecond"), 1e-9);
  EXPECT_EQ(ncu_unit("usecond"), 1e-6);
  EXPECT_EQ(ncu_unit("msecond"), 1e-3);
  EXPECT_EQ(ncu_unit("second"), 1.0);
  EXPECT_EQ(ncu_unit("ns"), 1e-9);
  EXPECT_EQ(ncu_unit("us"), 1e-6);
  EXPECT_EQ(ncu_unit("µs"), 1e-6);
  EXPECT_EQ(ncu_unit("ms"), 1e-3);
  EXPECT_EQ(ncu_unit("s"), 1.0);
}

TEST(NcuUnitTest, RatesAreQuotients) {
  EXPECT_DOUBLE_EQ(ncu_unit("Gbyte/second").value(), 1e9);
  EXPECT_DOUBLE_EQ(ncu_unit("byte/s").value(), 1);
  EXPECT_DOUBLE_EQ(ncu_unit("cycle/nsecond").value(), 1e9);
  EXPECT_DOUBLE_EQ(ncu_unit("cycle/usecond").value(), 1e6);
  EXPECT_DOUBLE_EQ(ncu_unit("inst/cycle").value(), 1);
  EXPECT_DOUBLE_EQ(ncu_unit("Ghz").value(), 1e9);
}

TEST(NcuUnitTest, CountsAndSharesAreOnesAndStrangersAbsent) {
  EXPECT_EQ(ncu_unit("inst"), 1.0);
  EXPECT_EQ(ncu_unit("%"), 1.0);
  EXPECT_EQ(ncu_unit(""), 1.0);
  EXPECT_FALSE(ncu_unit("furlong"));
  EXPECT_FALSE(ncu_unit("byte/furlong"));
  EXPECT_FALSE(
      ncu_unit("/"
               "x"));
}

}  // namespace
}  // namespace ridgeline
