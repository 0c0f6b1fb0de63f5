#include "data/resample.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/pictures.h"

namespace ridgeline {
namespace {

using testing::Each;
using testing::ElementsAre;

Resampling whole_to(const Picture& picture, int height, int width) {
  return {.source = {.height = picture.height, .width = picture.width},
          .height = height,
          .width = width,
          .window = {.height = height, .width = width}};
}

std::vector<std::uint8_t> resample(const Picture& picture, const Resampling& resampling,
                                   const ResampleKernels& kernels = best_kernels()) {
  std::vector<std::uint8_t> scratch;
  const Resampler resampler(picture.view(), resampling, kernels, scratch);
  const auto row = static_cast<std::size_t>(3 * resampling.window.width);
  std::vector<std::uint8_t> out(row * static_cast<std::size_t>(resampling.window.height));
  for (int y = 0; y < resampling.window.height; ++y)
    resampler.row_bytes(y, out.data() + static_cast<std::size_t>(y) * row);
  return out;
}

// The definition in floating point, one value at a time.
double exact_value(const Picture& picture, double scale_y, double scale_x, int y, int x, int c) {
  double sum = 0;
  double weights = 0;
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double dy = std::abs(row + 0.5 - (y + 0.5) * scale_y) / std::max(scale_y, 1.0);
      const double dx = std::abs(column + 0.5 - (x + 0.5) * scale_x) / std::max(scale_x, 1.0);
      const double weight = std::max(1 - dy, 0.0) * std::max(1 - dx, 0.0);
      weights += weight;
      sum += weight * picture.at(row, column)[c];
    }
  }
  return sum / weights;
}

void expect_exact(const Picture& picture, int height, int width) {
  const auto out = resample(picture, whole_to(picture, height, width));
  double worst = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double exact = exact_value(picture, static_cast<double>(picture.height) / height,
                                         static_cast<double>(picture.width) / width, y, x, c);
        const auto at = static_cast<std::size_t>(3 * (y * width + x) + c);
        worst = std::max(worst, std::abs(out[at] - exact));
      }
    }
  }
  // Half a level is the last rounding.
  EXPECT_LT(worst, 0.55) << picture.height << "x" << picture.width << " to " << height << "x"
                         << width;
}

TEST(AxisFilterTest, DoublingMixesNeighboursThreeToOneAndKeepsTheEnds) {
  const AxisFilter filter({.source = 2, .target = 4, .from = 0, .count = 4}, kHorizontalBits);
  const AxisWeights view = filter.view();
  ASSERT_EQ(view.pairs, 1);
  ASSERT_EQ(view.bits, 14);
  EXPECT_THAT(std::vector(view.first, view.first + 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(std::vector(view.weights, view.weights + 8),
              ElementsAre(16384, 0, 12288, 4096, 4096, 12288, 16384, 0));
}

TEST(AxisFilterTest, WeightsOfEveryPositionSumToOne) {
  for (const auto& [source, target] : {std::pair{32, 224}, {500, 224}, {7, 3}, {4000, 5}, {1, 9}}) {
    const AxisFilter filter({.source = source, .target = target, .from = 0, .count = target},
                            kVerticalBits);
    const AxisWeights view = filter.view();
    for (int i = 0; i < target; ++i) {
      const std::int16_t* const weights = view.weights + 2 * view.pairs * i;
      EXPECT_EQ(std::accumulate(weights, weights + 2 * view.pairs, 0), 1 << view.bits);
      for (int t = 0; t < 2 * view.pairs; ++t) EXPECT_GE(weights[t], 0);
    }
  }
}

TEST(AxisFilterTest, AWindowNeedsOnlyItsOwnSource) {
  const AxisFilter filter({.source = 100, .target = 100, .from = 40, .count = 10}, kVerticalBits);
  EXPECT_EQ(filter.lowest(), 40);
  EXPECT_LE(filter.highest(), 51);
}

TEST(ResampleTest, EqualSizesGiveTheImageBack) {
  const Picture picture = noise_picture(9, 13);
  EXPECT_EQ(resample(picture, whole_to(picture, 9, 13)), picture.pixels);
}

TEST(ResampleTest, APlainAreaStaysWhatItIs) {
  for (const std::uint8_t level : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{255}}) {
    const Picture picture = plain_picture(37, 23, level);
    EXPECT_THAT(resample(picture, whole_to(picture, 64, 5)), Each(level));
  }
}

TEST(ResampleTest, GrowingAndShrinkingFollowTheDefinition) {
  expect_exact(noise_picture(8, 8), 56, 56);
  expect_exact(noise_picture(5, 11), 17, 12);
  expect_exact(noise_picture(40, 30), 7, 9);
  expect_exact(noise_picture(30, 4), 3, 20);
  expect_exact(noise_picture(1, 1), 3, 2);
  expect_exact(noise_picture(300, 2), 1, 1);
}

TEST(ResampleTest, AWindowIsThatPartOfTheWhole) {
  const Picture picture = noise_picture(20, 24);
  const auto whole = resample(picture, whole_to(picture, 50, 60));
  Resampling part = whole_to(picture, 50, 60);
  part.window = {.top = 7, .left = 11, .height = 30, .width = 20};
  const auto out = resample(picture, part);
  for (std::size_t y = 0; y < 30; ++y) {
    for (std::size_t i = 0; i < 60; ++i)
      ASSERT_EQ(out[y * 60 + i], whole[(y + 7) * 180 + 33 + i]) << y << ", " << i;
  }
}

TEST(ResampleTest, ABoxSeesNothingOutsideItself) {
  Picture picture = noise_picture(20, 20);
  Resampling crop = whole_to(picture, 32, 32);
  crop.source = {.top = 5, .left = 6, .height = 8, .width = 9};
  const auto before = resample(picture, crop);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      if (y >= 5 && y < 13 && x >= 6 && x < 15) continue;
      picture.pixels[static_cast<std::size_t>(3 * (y * 20 + x))] ^= 0xFFU;
    }
  }
  EXPECT_EQ(resample(picture, crop), before);
}

TEST(ResampleTest, AFlipIsTheMirroredRow) {
  const Picture picture = noise_picture(6, 7);
  Resampling resampling = whole_to(picture, 10, 13);
  const auto straight = resample(picture, resampling);
  resampling.flip = true;
  const auto flipped = resample(picture, resampling);
  for (std::size_t y = 0; y < 10; ++y) {
    for (std::size_t x = 0; x < 13; ++x) {
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_EQ(flipped[3 * (y * 13 + x) + c], straight[3 * (y * 13 + 12 - x) + c]);
    }
  }
}

struct Sizes {
  int height, width, out_height, out_width;
};
constexpr Sizes kSizes[] = {{32, 32, 224, 224}, {32, 32, 31, 33}, {13, 29, 16, 17}, {1, 1, 5, 5},
                            {200, 150, 64, 48}, {500, 3, 2, 100}, {17, 90, 90, 17}};

TEST(ResampleTest, VectorsGiveTheBytesOfTheScalarReference) {
  if (avx2_kernels() == nullptr) GTEST_SKIP() << "this CPU has no AVX2";
  for (const Sizes& size : kSizes) {
    const Picture picture = noise_picture(size.height, size.width);
    Resampling resampling = whole_to(picture, size.out_height, size.out_width);
    for (const bool flip : {false, true}) {
      resampling.flip = flip;
      EXPECT_EQ(resample(picture, resampling, *avx2_kernels()),
                resample(picture, resampling, scalar_kernels()));
    }
  }
}

}  // namespace
}  // namespace ridgeline
