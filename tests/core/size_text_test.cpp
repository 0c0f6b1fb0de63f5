#include "core/size_text.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

TEST(ParseSizeTest, DecimalAndBinaryUnitsAreKeptApart) {
  EXPECT_EQ(parse_size("--x", "200MB").count, 200e6);
  EXPECT_EQ(parse_size("--x", "1.5GB").count, 1.5e9);
  EXPECT_EQ(parse_size("--x", "64KiB").count, 65536);
  EXPECT_EQ(parse_size("--x", "12").count, 12);
}

TEST(ParseSizeTest, WhatIsNoSizeIsRefusedWithTheFlagsName) {
  for (const char* text : {"", "MB", "-1MB", "0", "1XB", "nan", "inf", "1e400", "9999999GB"})
    EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)parse_size("--trace-limit", text); }),
                HasSubstr("--trace-limit"))
        << text;
}

}  // namespace
}  // namespace ridgeline
