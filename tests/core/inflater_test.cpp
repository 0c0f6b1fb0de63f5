#include "core/inflater.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "core/gzip.h"

namespace ridgeline {
namespace {

std::span<const std::byte> as_bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string read_all(Inflater& inflater) {
  std::string text(1 << 16, '\0');
  text.resize(inflater.read_to_damage(std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(InflaterTest, PlainAndPackedBytesComeOutAlike) {
  const std::string plain = "one two three";
  const std::string packed = gzip_of(plain);
  Inflater of_plain(as_bytes_of(plain), "a");
  Inflater of_packed(as_bytes_of(packed), "b");
  EXPECT_EQ(read_all(of_plain), plain);
  EXPECT_EQ(read_all(of_packed), plain);
  EXPECT_FALSE(of_packed.damage());
}

TEST(InflaterTest, WhatCameBeforeACutIsKeptAndTheDamageNamed) {
  std::string plain;
  for (int i = 0; i < 3000; ++i) plain += std::to_string(i * i);
  std::string packed = gzip_of(plain);
  packed.resize(packed.size() / 2);
  Inflater inflater(as_bytes_of(packed), "half.gz");
  const std::string got = read_all(inflater);
  EXPECT_GT(got.size(), plain.size() / 4);
  EXPECT_EQ(got, plain.substr(0, got.size()));
  ASSERT_TRUE(inflater.damage());
  EXPECT_THAT(inflater.damage()->what(),
              ::testing::HasSubstr("half.gz': the gzip data ends early"));
}

TEST(InflaterTest, AReaderThatNeedsAllOfItGetsAnError) {
  std::string packed = gzip_of(std::string(5000, 'x'));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  Inflater inflater(as_bytes_of(packed), "bad.gz");
  std::string text(8192, '\0');
  EXPECT_THAT(message_of(Fault::BadInput,
                         [&] { (void)inflater.read(std::as_writable_bytes(std::span(text))); }),
              ::testing::HasSubstr("bad.gz"));
}

}  // namespace
}  // namespace ridgeline
