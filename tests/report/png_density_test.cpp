#include "report/png_density.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace ridgeline {
namespace {

// A signature and an IHDR chunk, then what follows.
std::string made_png(const std::string& rest) {
  return std::string("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16) + std::string(13 + 4, 'x') + rest;
}

std::uint32_t number_at(const std::string& text, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(text[at + i]);
  return value;
}

TEST(PngDensityTest, TheChunkFollowsTheHeaderWithItsChecksum) {
  const std::string png = with_png_density(made_png("rest"), 150);
  const std::size_t at = 33;
  EXPECT_EQ(number_at(png, at), 9U);
  EXPECT_EQ(png.substr(at + 4, 4), "pHYs");
  EXPECT_EQ(number_at(png, at + 8), 5906U);  // 150 dots an inch
  EXPECT_EQ(number_at(png, at + 12), 5906U);
  EXPECT_EQ(png[at + 16], '\x01');
  EXPECT_EQ(number_at(png, at + 17),
            crc32(0, reinterpret_cast<const Bytef*>(png.data()) + at + 4, 13));
  EXPECT_EQ(png.substr(at + 21), "rest");
}

TEST(PngDensityTest, OthersStayAsTheyAre) {
  EXPECT_EQ(with_png_density("hello", 150), "hello");
  EXPECT_EQ(with_png_density("", 150), "");
  const std::string once = with_png_density(made_png("rest"), 150);
  EXPECT_EQ(with_png_density(once, 300), once);
}

}  // namespace
}  // namespace ridgeline
