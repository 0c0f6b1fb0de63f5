#include "trace/wire_message.h"

#include <limits>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using namespace std::string_literals;

TEST(WireMessageTest, VarintsTakeSevenBitsAByte) {
  EXPECT_EQ(WireMessage().integer(1, 0).encoded(), "\x08\x00"s);
  EXPECT_EQ(WireMessage().integer(1, 127).encoded(), "\x08\x7f"s);
  EXPECT_EQ(WireMessage().integer(1, 150).encoded(), "\x08\x96\x01"s);
  EXPECT_EQ(WireMessage().integer(1, -1).encoded(), "\x08"s + std::string(9, '\xff') + "\x01");
  EXPECT_EQ(WireMessage().integer(1, std::numeric_limits<std::int64_t>::max()).encoded(),
            "\x08"s + std::string(8, '\xff') + "\x7f");
}

TEST(WireMessageTest, NumbersAreLittleEndian) {
  EXPECT_EQ(WireMessage().number(1, 1.0).encoded(), "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f"s);
  EXPECT_EQ(WireMessage().single(2, 1.0F).encoded(), "\x15\x00\x00\x80\x3f"s);
}

TEST(WireMessageTest, TextAndMessagesCarryTheirLength) {
  EXPECT_EQ(WireMessage().text(2, "testing").encoded(), "\x12\x07testing"s);
  EXPECT_EQ(WireMessage().message(3, WireMessage().integer(1, 150)).encoded(),
            "\x1a\x03\x08\x96\x01"s);
  EXPECT_EQ(WireMessage().message(2, WireMessage()).encoded(), "\x12\x00"s);
  EXPECT_EQ(WireMessage().bytes(16, std::string(200, 'x')).encoded(),
            "\x82\x01\xc8\x01"s + std::string(200, 'x'));
}

TEST(WireMessageTest, BrokenUtf8IsMendedInTextAndKeptInBytes) {
  EXPECT_EQ(WireMessage().text(1, "\xff").encoded(), "\x0a\x03\xef\xbf\xbd"s);
  EXPECT_EQ(WireMessage().bytes(1, "\xff").encoded(), "\x0a\x01\xff"s);
}

}  // namespace
}  // namespace ridgeline
