#include "data/draw.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;
using Geometry = TransformOptions::Geometry;
using Sizes = TransformOptions::Sizes;

constexpr ImageView sized(int width, int height) {
  return {.pixels = nullptr, .height = height, .width = width};
}
constexpr ImageView kSmall{.pixels = nullptr, .height = 32, .width = 32};

TEST(DrawTest, TheSameKeyDrawsTheSame) {
  const auto options = parse_transform("rrc224");
  const SampleKey key{.seed = 42, .epoch = 3, .index = 17};
  EXPECT_EQ(draw(options, kSmall, key), draw(options, kSmall, key));
}

TEST(DrawTest, SeedEpochAndIndexEachChangeTheDraws) {
  const auto options = parse_transform("rrc224");
  std::set<std::tuple<int, int, int, int, bool>> seen;
  const ImageView large{.pixels = nullptr, .height = 5000, .width = 5000};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
      for (std::uint64_t index = 0; index < 4; ++index) {
        const SampleDraw drawn =
            draw(options, large, {.seed = seed, .epoch = epoch, .index = index});
        seen.insert({drawn.box.top, drawn.box.left, drawn.box.height, drawn.box.width, drawn.flip});
      }
    }
  }
  EXPECT_EQ(seen.size(), 64U);
}

TEST(DrawTest, UnaskedNoPieceIsCutOutOfPhotographs) {
  for (const Geometry geometry : {Geometry::RandomCrop, Geometry::CenterCrop}) {
    const TransformOptions usual{.geometry = geometry, .size = 32, .sizes = Sizes::Exactly};
    EXPECT_EQ(misfit(usual, sized(32, 32)), "");
    EXPECT_THAT(misfit(usual, sized(64, 48)), HasSubstr("this one has 64x48"));
    EXPECT_THROW((void)draw(usual, sized(33, 32), {}), Error);
  }
}

TEST(DrawTest, ACropThatWasAskedForTakesLargerImagesOnly) {
  for (const Geometry geometry : {Geometry::RandomCrop, Geometry::CenterCrop}) {
    const TransformOptions asked{.geometry = geometry, .size = 28, .sizes = Sizes::AtLeast};
    EXPECT_EQ(misfit(asked, sized(64, 28)), "");
    EXPECT_THAT(misfit(asked, sized(64, 24)), HasSubstr("at least that size"));
    EXPECT_THROW((void)draw(asked, sized(24, 64), {}), Error);
  }
}

TEST(DrawTest, WhatIsResampledMayHaveAnySize) {
  TransformOptions options = parse_transform("rrc224");
  options.sizes = Sizes::Exactly;
  EXPECT_EQ(misfit(options, sized(7, 900)), "");
}

TEST(DrawTest, ACropFromTheCentreRoundsAsTorchvisionDoes) {
  const TransformOptions options{
      .geometry = TransformOptions::Geometry::CenterCrop, .size = 28, .flip = 0};
  const auto top_of = [&](int height) {
    return draw(options, {.pixels = nullptr, .height = height, .width = 32}, {}).box.top;
  };
  EXPECT_EQ(top_of(32), 2);
  EXPECT_EQ(top_of(31), 2);  // 1.5, halves to even
  EXPECT_EQ(top_of(29), 0);
  EXPECT_EQ(top_of(28), 0);
  EXPECT_EQ(top_of(25), -1);  // one row of black above, two below
}

TEST(DrawTest, FlipsByTurnsShowEveryImageBothWaysInAnyTwoEpochs) {
  auto options = parse_transform("crop32");
  options.alternate_flip = true;
  int flipped = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const auto flip_in = [&](std::uint64_t epoch) {
      return draw(options, kSmall, {.seed = 7, .epoch = epoch, .index = index}).flip;
    };
    EXPECT_NE(flip_in(0), flip_in(1));
    EXPECT_EQ(flip_in(0), flip_in(2));
    flipped += flip_in(0) ? 1 : 0;
  }
  EXPECT_NEAR(flipped, 500, 80);  // five standard deviations
}

TEST(DrawTest, FlipsByTurnsLeaveTheOtherDrawsAlone) {
  auto options = parse_transform("crop32");
  const SampleKey key{.seed = 7, .epoch = 3, .index = 11};
  const Box random = draw(options, kSmall, key).box;
  options.alternate_flip = true;
  EXPECT_EQ(draw(options, kSmall, key).box, random);
}

TEST(DrawTest, ResizedCropsLieInsideTheImageWithTheirAreaAndRatio) {
  const auto options = parse_transform("rrc224");
  const ImageView image{.pixels = nullptr, .height = 400, .width = 300};
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Box box = draw(options, image, {.seed = 1, .epoch = 0, .index = i}).box;
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 400);
    ASSERT_LE(box.left + box.width, 300);
    const double area = static_cast<double>(box.height) * box.width / (400 * 300);
    const double ratio = static_cast<double>(box.width) / box.height;
    ASSERT_GT(area, 0.075);
    ASSERT_GT(ratio, 0.73);
    ASSERT_LT(ratio, 1.37);
  }
}

TEST(DrawTest, WhereNoBoxFitsTheLargestCentralOneIsTaken) {
  auto options = parse_transform("rrc224");
  options.min_scale = 1;
  const ImageView wide{.pixels = nullptr, .height = 10, .width = 100};
  EXPECT_EQ(draw(options, wide, {}).box, (Box{.top = 0, .left = 43, .height = 10, .width = 13}));
  const ImageView tall{.pixels = nullptr, .height = 100, .width = 9};
  EXPECT_EQ(draw(options, tall, {}).box, (Box{.top = 44, .left = 0, .height = 12, .width = 9}));
}

TEST(DrawTest, PaddedCropsReachEveryOffset) {
  const auto options = parse_transform("crop32");
  std::set<std::pair<int, int>> seen;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Box box = draw(options, kSmall, {.seed = 1, .epoch = 0, .index = i}).box;
    EXPECT_EQ(box.height, 32);
    seen.insert({box.top, box.left});
  }
  EXPECT_EQ(seen.size(), 81U);  // -4 to 4, both ways
  EXPECT_EQ(seen.begin()->first, -4);
  EXPECT_EQ(seen.rbegin()->first, 4);
}

TEST(DrawTest, ACropLargerThanThePaddedImageIsRefused) {
  const auto options = parse_transform("crop64");
  EXPECT_THROW((void)draw(options, kSmall, {}), Error);
}

TEST(DrawTest, AnImageCannotMirrorMorePixelsThanItHas) {
  auto options = parse_transform("crop32");
  options.border = Border::Reflect;
  EXPECT_EQ(draw(options, kSmall, {}).border, Border::Reflect);
  options.padding = 32;
  EXPECT_THROW((void)draw(options, kSmall, {}), Error);
}

TEST(DrawTest, FlipsComeAsOftenAsAsked) {
  auto options = parse_transform("crop32");
  options.flip = 0.25;
  int flips = 0;
  for (std::uint64_t i = 0; i < 4000; ++i)
    flips += draw(options, kSmall, {.seed = 1, .epoch = 0, .index = i}).flip ? 1 : 0;
  EXPECT_NEAR(flips, 1000, 120);  // over four deviations
  options.flip = 0;
  EXPECT_FALSE(draw(options, kSmall, {}).flip);
}

TEST(DrawTest, ACutOutIsCutOffAtTheBorder) {
  auto options = parse_transform("crop32");
  options.cutout = 16;
  bool partial = false;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Box box = draw(options, kSmall, {.seed = 1, .epoch = 0, .index = i}).cutout;
    ASSERT_GE(box.top, 0);
    ASSERT_LE(box.left + box.width, 32);
    ASSERT_GE(box.height, 8);
    ASSERT_LE(box.height, 16);
    partial = partial || box.height < 16;
  }
  EXPECT_TRUE(partial);
}

TEST(DrawTest, TheCentreCropRoundsHalvesToEven) {
  auto options = parse_transform("center224");
  const SampleDraw whole{.box = {.height = 300, .width = 401}};
  const Resampling resampling = resampling_of(options, whole);
  EXPECT_EQ(resampling.height, 256);
  EXPECT_EQ(resampling.width, 342);  // 342.19, rounded down
  EXPECT_EQ(resampling.window, (Box{.top = 16, .left = 59, .height = 224, .width = 224}));
  options.resize = 225;  // an offset of one half
  EXPECT_EQ(resampling_of(options, whole).window.top, 0);
}

}  // namespace
}  // namespace ridgeline
