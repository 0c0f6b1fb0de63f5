#include "data/transform.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "data/draw.h"
#include "data/pictures.h"

namespace ridgeline {
namespace {

using Output = TransformOptions::Output;
using testing::HasSubstr;

std::vector<std::byte> execute(const Transform& transform, const Picture& picture,
                               const SampleDraw& drawn) {
  std::vector<std::uint8_t> scratch;
  std::vector<std::byte> out(transform.output_bytes(picture.view()));
  transform.execute(picture.view(), drawn, out.data(), scratch);
  return out;
}

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TransformOptions options_for(const char* word, Output output) {
  TransformOptions options = parse_transform(word);
  options.normalisation = kImageNetNormalisation;
  options.output = output;
  return options;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    return error.what();
  }
  return "nothing was refused";
}

TEST(TransformTest, WordsAreReadWithTheirSize) {
  EXPECT_EQ(parse_transform("rrc160").size, 160);
  EXPECT_EQ(parse_transform("rrc160").flip, 0.5);
  EXPECT_EQ(parse_transform("center224").resize, 256);
  EXPECT_EQ(parse_transform("center224").flip, 0);
  EXPECT_EQ(parse_transform("none").geometry, TransformOptions::Geometry::None);
}

TEST(TransformTest, UnknownWordsNameTheNearest) {
  EXPECT_THAT(refusal([] { (void)parse_transform("rcc224"); }), HasSubstr("rrc224"));
  for (const char* word : {"", "rrc", "rrc0", "rrc-3", "rrc224x", "rrc99999999999", "224", "crop"})
    EXPECT_THROW((void)parse_transform(word), Error) << word;
}

TEST(TransformTest, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_THAT(refusal([] { Transform({.size = 0}); }), HasSubstr("size"));
  EXPECT_THAT(refusal([] { Transform({.flip = 1.5}); }), HasSubstr("flip"));
  EXPECT_THAT(refusal([] {
                Transform({.normalisation = {.mean = {}, .std = {1, 0, 1}}});
              }),
              HasSubstr("std"));
  EXPECT_THAT(
      refusal([] {
        Transform(
            {.geometry = TransformOptions::Geometry::ResizeCenterCrop, .size = 224, .resize = 200});
      }),
      HasSubstr("resize"));
  auto options = parse_transform("rrc224");
  options.min_scale = 0;
  EXPECT_THAT(refusal([&] { Transform{options}; }), HasSubstr("scale"));
}

TEST(TransformTest, NormalisationIsThatOfTheDefinition) {
  const Picture picture = noise_picture(5, 11);
  const Transform transform(options_for("none", Output::Float));
  const auto out = floats(execute(transform, picture, {.box = {.height = 5, .width = 11}}));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double expected =
        (picture.pixels[i] / 255.0 - static_cast<double>(kImageNetNormalisation.mean[i % 3])) /
        static_cast<double>(kImageNetNormalisation.std[i % 3]);
    ASSERT_NEAR(out[i], expected, 1e-6);
  }
}

TEST(TransformTest, APaddedCropIsZerosAroundTheImage) {
  const Picture picture = noise_picture(4, 4);
  TransformOptions options = options_for("crop4", Output::Bytes);
  options.padding = 2;
  const Transform transform(options);
  for (const bool flip : {false, true}) {
    const auto out = execute(
        transform, picture, {.box = {.top = -1, .left = 2, .height = 4, .width = 4}, .flip = flip});
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        const int row = y - 1;
        const int column = (flip ? 3 - x : x) + 2;
        const bool inside = row >= 0 && column < 4;
        for (int c = 0; c < 3; ++c) {
          const auto got = std::to_integer<int>(out[static_cast<std::size_t>(3 * (4 * y + x) + c)]);
          ASSERT_EQ(got, inside ? picture.at(row, column)[c] : 0);
        }
      }
    }
  }
}

TEST(TransformTest, FloatsAreTheBytesNormalised) {
  const Picture picture = noise_picture(32, 32);
  const SampleDraw drawn{.box = {.top = 3, .left = 4, .height = 20, .width = 25}, .flip = true};
  const Transform to_bytes(options_for("rrc224", Output::Bytes));
  const Transform to_floats(options_for("rrc224", Output::Float));
  const auto bytes = execute(to_bytes, picture, drawn);
  const auto values = floats(execute(to_floats, picture, drawn));
  Picture resized{.height = 224, .width = 224, .pixels = {}};
  for (const std::byte byte : bytes) resized.pixels.push_back(std::to_integer<std::uint8_t>(byte));
  const Transform scale(options_for("none", Output::Float));
  EXPECT_EQ(values, floats(execute(scale, resized, {.box = {.height = 224, .width = 224}})));
}

TEST(TransformTest, AReflectedBorderRepeatsNoPixelAtTheEdge) {
  Picture picture = plain_picture(3, 3, 0);
  for (std::size_t i = 0; i < 9; ++i) picture.pixels[3 * i] = static_cast<std::uint8_t>(i);
  SampleDraw drawn{.box = {.top = -2, .left = 1, .height = 4, .width = 4},
                   .border = Border::Reflect};
  const Transform transform(options_for("crop4", Output::Bytes));
  const auto first_channel = [&] {
    std::vector<int> values;
    const auto bytes = execute(transform, picture, drawn);
    for (std::size_t i = 0; i < bytes.size(); i += 3)
      values.push_back(std::to_integer<int>(bytes[i]));
    return values;
  };
  // Rows 2, 1, 0, 1 of 0 1 2 / 3 4 5 / 6 7 8, columns 1, 2, 1, 0.
  EXPECT_EQ(first_channel(), (std::vector{7, 8, 7, 6, 4, 5, 4, 3, 1, 2, 1, 0, 4, 5, 4, 3}));
  drawn.flip = true;
  EXPECT_EQ(first_channel(), (std::vector{6, 7, 8, 7, 3, 4, 5, 4, 0, 1, 2, 1, 3, 4, 5, 4}));
}

TEST(TransformTest, ACutOutIsTheMean) {
  const Picture picture = plain_picture(8, 8, 255);
  const SampleDraw drawn{.box = {.height = 8, .width = 8},
                         .cutout = {.top = 2, .left = 5, .height = 4, .width = 3}};
  TransformOptions options = options_for("none", Output::Float);
  const auto values = floats(execute(Transform(options), picture, drawn));
  options.output = Output::Bytes;
  const auto bytes = execute(Transform(options), picture, drawn);
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      const bool inside = y >= 2 && y < 6 && x >= 5;
      EXPECT_EQ(values[3 * (8 * y + x) + 1] == 0, inside) << y << ", " << x;
      EXPECT_EQ(std::to_integer<int>(bytes[3 * (8 * y + x) + 1]), inside ? 116 : 255);
    }
  }
}

TEST(TransformTest, EveryGeometryGivesTheSameBytesWithAndWithoutVectors) {
  if (avx2_kernels() == nullptr) GTEST_SKIP() << "this CPU has no AVX2";
  for (const char* word : {"none", "crop32", "crop29", "rrc224", "rrc33", "resize40", "center28"}) {
    for (const Output output : {Output::Bytes, Output::Float}) {
      TransformOptions options = options_for(word, output);
      options.cutout = 5;
      const Transform scalar(options, scalar_kernels());
      const Transform vectors(options, *avx2_kernels());
      for (std::uint64_t i = 0; i < 4; ++i) {
        const Picture picture = noise_picture(37, 45, i);
        const SampleDraw drawn = draw(options, picture.view(), {.seed = 9, .epoch = 1, .index = i});
        ASSERT_EQ(execute(scalar, picture, drawn), execute(vectors, picture, drawn)) << word;
      }
    }
  }
}

TEST(TransformTest, AnUnalignedOutputGivesTheSameValues) {
  const Picture picture = noise_picture(32, 32);
  const Transform transform(options_for("rrc224", Output::Float));
  std::vector<std::uint8_t> scratch;
  const std::size_t bytes = transform.output_bytes(picture.view());
  std::vector<float> memory(bytes / sizeof(float) + 16);
  const SampleKey key{.seed = 5, .epoch = 0, .index = 3};
  std::vector<std::vector<float>> results;
  for (const std::ptrdiff_t offset : {0, 1, 3}) {
    float* const out = memory.data() + offset;
    transform.apply(picture.view(), key, reinterpret_cast<std::byte*>(out), scratch);
    results.emplace_back(out, out + bytes / sizeof(float));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace ridgeline
