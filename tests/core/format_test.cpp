#include "core/format.h"

#include <limits>
#include <locale>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(FormatTest, BytesUseBinaryUnits) {
  EXPECT_EQ(format_bytes({0}), "0 B");
  EXPECT_EQ(format_bytes({1023}), "1023 B");
  EXPECT_EQ(format_bytes({1024}), "1.00 KiB");
  EXPECT_EQ(format_bytes({1.25 * 1024 * 1024 * 1024}), "1.25 GiB");
  EXPECT_EQ(format_bytes({-2048}), "-2.00 KiB");
}

TEST(FormatTest, BytesNeverShow1024OfAUnit) {
  EXPECT_EQ(format_bytes({1024.0 * 1024 - 1}), "1.00 MiB");
  EXPECT_EQ(format_bytes({1024.0 * 1024 * 1024 - 1}), "1.00 GiB");
}

TEST(FormatTest, SecondsPickTheUnitThatReadsWell) {
  EXPECT_EQ(format_seconds(Seconds{0}), "0 s");
  EXPECT_EQ(format_seconds(Seconds{4.2e-9}), "4.2 ns");
  EXPECT_EQ(format_seconds(Seconds{12.3e-6}), "12.3 µs");
  EXPECT_EQ(format_seconds(Seconds{0.1523}), "152.30 ms");
  EXPECT_EQ(format_seconds(Seconds{2.1}), "2.1 s");
  EXPECT_EQ(format_seconds(Seconds{2.1345}), "2.135 s");
  EXPECT_EQ(format_seconds(Seconds{20}), "20 s");
  EXPECT_EQ(format_seconds(Seconds{200}), "3m 20s");
  EXPECT_EQ(format_seconds(Seconds{3600 + 5 * 60}), "1h 05m");
  EXPECT_EQ(format_seconds(Seconds{-0.5}), "-500.00 ms");
}

TEST(FormatTest, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(format_seconds(Seconds{999.99e-6}), "1.00 ms");
  EXPECT_EQ(format_seconds(Seconds{0.999999}), "1 s");
  EXPECT_EQ(format_seconds(Seconds{59.9999}), "1m 00s");
  EXPECT_EQ(format_seconds(Seconds{119.7}), "2m 00s");
  EXPECT_EQ(format_seconds(Seconds{3599.9}), "1h 00m");
  EXPECT_EQ(format_count(999999), "1.00M");
  EXPECT_EQ(format_count(9.999e6), "10.0M");
}

TEST(FormatTest, CountsUseTheWordsOfModelSizes) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(2.5), "2.5");
  EXPECT_EQ(format_count(128625408), "128.6M");
  EXPECT_EQ(format_count(3.41e9), "3.41B");
  EXPECT_EQ(format_count(1.5e12), "1.50T");
  EXPECT_EQ(format_count(2e18), "2.00e+18");
  EXPECT_EQ(format_count(-1500), "-1.50k");
}

TEST(FormatTest, RatesCarryTheirUnit) {
  EXPECT_EQ(format_rate(12345, "img/s"), "12.3k img/s");
  EXPECT_EQ(format_rate(0.01234, "steps/s"), "0.0123 steps/s");
}

TEST(FormatTest, WhatIsNoNumberIsUnknown) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(format_bytes({kInfinite}), "unknown");
  EXPECT_EQ(format_seconds(Seconds{std::numeric_limits<double>::quiet_NaN()}), "unknown");
  EXPECT_EQ(format_count(-kInfinite), "unknown");
}

TEST(FormatTest, TheLocaleChangesNothing) {
  class DecimalComma : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const std::string text = format_seconds(Seconds{0.1523});
  std::locale::global(before);
  EXPECT_EQ(text, "152.30 ms");
}

}  // namespace
}  // namespace ridgeline
