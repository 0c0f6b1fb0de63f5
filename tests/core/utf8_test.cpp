#include "core/utf8.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(Utf8Test, WellFormedTextStaysAsItIs) {
  for (const std::string text : {"", "plain", "µ …", "日本", "🎉", "\x7f", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(with_valid_utf8(text), text);
  }
  EXPECT_EQ(with_valid_utf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8Test, EveryBrokenByteBecomesAReplacementMark) {
  EXPECT_EQ(with_valid_utf8("a\xff"
                            "b"),
            "a\ufffd"
            "b");
  EXPECT_EQ(with_valid_utf8("\x80"), "\ufffd");                                // continuation alone
  EXPECT_EQ(with_valid_utf8("\xe6\x97"), "\ufffd\ufffd");                      // cut off
  EXPECT_EQ(with_valid_utf8("\xc0\xaf"), "\ufffd\ufffd");                      // overlong
  EXPECT_EQ(with_valid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");            // surrogate
  EXPECT_EQ(with_valid_utf8("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // beyond the end
}

}  // namespace
}  // namespace ridgeline
