#include "data/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/error.h"
#include "data/picture_files.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::uint8_t> decoded(const std::string& bytes, int height, int width) {
  std::vector<std::uint8_t> pixels;
  const ImageView image = decode_image(bytes, "cats/3.jpg", pixels);
  EXPECT_EQ(image.height, height);
  EXPECT_EQ(image.width, width);
  return {image.pixels, image.pixels + 3 * image.height * image.width};
}

std::string refusal(const std::string& bytes) {
  std::vector<std::uint8_t> pixels;
  try {
    (void)decode_image(bytes, "cats/3.jpg", pixels);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    EXPECT_THAT(error.what(), StartsWith("cats/3.jpg: "));
    return error.what();
  }
  return "it was read";
}

TEST(ImageFileTest, APngComesBackAsItWas) {
  const Picture picture = noise_picture(5, 7);
  EXPECT_EQ(decoded(png_of(picture), 5, 7), picture.pixels);
}

TEST(ImageFileTest, AJpegOfAPlainAreaKeepsItsLevel) {
  for (const bool progressive : {false, true}) {
    const Picture picture = plain_picture(20, 33, 117);
    EXPECT_THAT(decoded(jpeg_of(picture, progressive), 20, 33), testing::Each(117));
  }
}

TEST(ImageFileTest, GreyIsRepeatedAndTransparencyDropped) {
  EXPECT_EQ(decoded(png_of(1, 2, PNG_FORMAT_GRAY, {7, 200}), 1, 2),
            (std::vector<std::uint8_t>{7, 7, 7, 200, 200, 200}));
  EXPECT_EQ(decoded(png_of(1, 2, PNG_FORMAT_RGBA, {1, 2, 3, 0, 4, 5, 6, 128}), 1, 2),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(decoded(png_of(1, 1, PNG_FORMAT_GA, {9, 3}), 1, 1),
            (std::vector<std::uint8_t>{9, 9, 9}));
  const std::vector<std::uint8_t> grey(64, 90);
  EXPECT_THAT(decoded(jpeg_of(8, 8, JCS_GRAYSCALE, 1, grey), 8, 8), testing::Each(90));
}

TEST(ImageFileTest, FourInksBecomeThreeLights) {
  std::vector<std::uint8_t> inks;  // as Adobe stores them, inverted: full light but for cyan
  for (int i = 0; i < 64; ++i) inks.insert(inks.end(), {0, 255, 255, 255});
  std::string bytes = jpeg_of(8, 8, JCS_CMYK, 4, inks);
  const auto pixels = decoded(bytes, 8, 8);
  EXPECT_THAT((std::vector(pixels.begin(), pixels.begin() + 3)), testing::ElementsAre(0, 255, 255));
}

TEST(ImageFileTest, EveryCutOffFileIsRefused) {
  for (const std::string& whole : {png_of(noise_picture(9, 9)), jpeg_of(noise_picture(16, 16)),
                                   jpeg_of(noise_picture(16, 16), true)}) {
    for (std::size_t length = 0; length + 2 < whole.size(); length += 3)
      ASSERT_NE(refusal(whole.substr(0, length)), "it was read") << length;
  }
}

TEST(ImageFileTest, ABrokenPngIsRefused) {
  std::string bytes = png_of(noise_picture(9, 9));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_NE(refusal(bytes), "it was read");
}

TEST(ImageFileTest, ADamagedFileNeverCrashes) {
  Random random(3, 1);
  for (const std::string& whole : {png_of(noise_picture(9, 9)), jpeg_of(noise_picture(16, 16)),
                                   jpeg_of(noise_picture(16, 16), true)}) {
    for (int i = 0; i < 300; ++i) {
      std::string bytes = whole;
      for (int hit = 0; hit < 3; ++hit)
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      std::vector<std::uint8_t> pixels;
      try {
        (void)decode_image(bytes, "damaged", pixels);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), StartsWith("damaged: "));
      }
    }
  }
}

// The size that a file claims, set in its header.
TEST(ImageFileTest, ABombIsRefusedBeforeItIsUnpacked) {
  std::string jpeg = jpeg_of(plain_picture(8, 8, 1));
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\x7F\xFF\x7F\xFF");
  EXPECT_THAT(refusal(jpeg), HasSubstr("32767x32767 pixels"));
  EXPECT_THAT(
      refusal(std::string(png_of(plain_picture(1, 1, 1))).replace(16, 4, "\x7F\x00\x00\x01")),
      HasSubstr("cats/3.jpg"));
}

// A text chunk as it stands in a PNG, with its length and sum.
std::string text_chunk(std::size_t size) {
  const std::string body = "tEXtk" + std::string(1, '\0') + std::string(size - 2, 'x');
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return number(static_cast<std::uint32_t>(size)) + body + number(static_cast<std::uint32_t>(sum));
}

TEST(ImageFileTest, TextInAPngNeitherDisturbsNorFillsMemory) {
  constexpr std::size_t kAfterHeader = 33;
  const Picture picture = noise_picture(5, 7);
  std::string many = png_of(picture);
  for (int i = 0; i < 100; ++i) many.insert(kAfterHeader, text_chunk(100));
  EXPECT_EQ(decoded(many, 5, 7), picture.pixels);
  const std::string large = png_of(picture).insert(kAfterHeader, text_chunk(2U << 20U));
  EXPECT_EQ(decoded(large, 5, 7), picture.pixels);  // libpng leaves out what it may not keep
}

TEST(ImageFileTest, OtherFilesAreNamedForWhatTheyAreNot) {
  EXPECT_THAT(refusal("GIF89a..."), HasSubstr("neither JPEG nor PNG"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  std::vector<std::uint8_t> pixels;
  try {
    (void)decode_image("", "a\x1b[2J\nb.png", pixels);
    FAIL() << "an empty file was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace ridgeline
