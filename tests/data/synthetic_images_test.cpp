#include "data/synthetic_images.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "data/find_images.h"
#include "data/image_array.h"

namespace ridgeline {
namespace {

const ImageArray::Content& content_of(const ImageSet& set) {
  return dynamic_cast<const ImageArray&>(set).content();
}

TEST(SyntheticImagesTest, TheSameOptionsGiveTheSameImages) {
  const SyntheticImageOptions options{.train = 30, .test = 20};
  const ImageData a = make_synthetic_images(options);
  const ImageData b = make_synthetic_images(options);
  EXPECT_EQ(content_of(*a.train).pixels, content_of(*b.train).pixels);
  const ImageData c = make_synthetic_images({.train = 30, .test = 20, .seed = 1});
  EXPECT_NE(content_of(*a.train).pixels, content_of(*c.train).pixels);
}

TEST(SyntheticImagesTest, MoreImagesBeginWithTheSameOnesAndTestImagesAreOthers) {
  const ImageData few = make_synthetic_images({.train = 10, .test = 10});
  const ImageData many = make_synthetic_images({.train = 20, .test = 10});
  const auto& pixels = content_of(*few.train).pixels;
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), content_of(*many.train).pixels.begin()));
  EXPECT_NE(pixels, content_of(*few.test).pixels);
}

TEST(SyntheticImagesTest, SizesAndClassesAreThoseAskedFor) {
  const ImageData data = make_synthetic_images({.train = 7, .test = 0, .classes = 3, .size = 17});
  EXPECT_EQ(data.train->classes().size(), 3U);
  EXPECT_EQ(data.train->label(5), 2);
  EXPECT_EQ(data.test->size(), 0U);
  std::vector<std::uint8_t> scratch;
  EXPECT_EQ(data.train->read(6, scratch).width, 17);
  EXPECT_THROW((void)make_synthetic_images({.classes = 0}), Error);
  EXPECT_THROW((void)make_synthetic_images({.size = 100000}), Error);
  EXPECT_THROW((void)make_synthetic_images({.train = std::size_t{1} << 60}), Error);
  EXPECT_EQ(open_images("synthetic").train->size(), SyntheticImageOptions{}.train);
}

constexpr std::size_t kFeatures = 12;
using Features = std::array<double, kFeatures>;

Features mean_colour(const ImageView& image) {
  Features sums{};
  for (int i = 0; i < image.height * image.width; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      sums[c] += image.pixels[3 * static_cast<std::size_t>(i) + c] / 1024.0;
  }
  return sums;
}

// How much the image resembles itself moved by a few pixels, in several directions: what the first
// layers of a convolutional network can see.
Features texture(const ImageView& image) {
  constexpr std::array<std::pair<int, int>, kFeatures> kMoves{{{0, 2},
                                                               {2, 2},
                                                               {2, 0},
                                                               {2, -2},
                                                               {0, 4},
                                                               {4, 4},
                                                               {4, 0},
                                                               {4, -4},
                                                               {2, 4},
                                                               {4, 2},
                                                               {4, -2},
                                                               {2, -4}}};
  const auto at = [&](int y, int x) {
    return static_cast<double>(image.pixels[3 * (y * image.width + x) + 1]);
  };
  Features features{};
  double scale = 0;
  for (std::size_t m = 0; m < kFeatures; ++m) {
    for (int y = 4; y < image.height - 4; ++y) {
      for (int x = 4; x < image.width - 4; ++x) {
        const double change = at(y, x) - at(y + kMoves[m].first, x + kMoves[m].second);
        features[m] += change * change;
      }
    }
    scale += features[m];
  }
  for (double& feature : features) feature /= scale;
  return features;
}

// The share of test images whose nearest class mean is that of their class.
double accuracy(const ImageData& data, Features (*features_of)(const ImageView&)) {
  std::vector<std::uint8_t> scratch;
  std::vector<Features> means(data.train->classes().size());
  for (std::size_t i = 0; i < data.train->size(); ++i) {
    const Features features = features_of(data.train->read(i, scratch));
    for (std::size_t f = 0; f < kFeatures; ++f)
      means[static_cast<std::size_t>(data.train->label(i))][f] +=
          features[f] * 10 / static_cast<double>(data.train->size());
  }
  int right = 0;
  for (std::size_t i = 0; i < data.test->size(); ++i) {
    const Features features = features_of(data.test->read(i, scratch));
    const auto distance = [&](const Features& mean) {
      double sum = 0;
      for (std::size_t f = 0; f < kFeatures; ++f)
        sum += (features[f] - mean[f]) * (features[f] - mean[f]);
      return sum;
    };
    const auto nearest = std::ranges::min_element(means, {}, distance);
    right += nearest - means.begin() == data.test->label(i) ? 1 : 0;
  }
  return right / static_cast<double>(data.test->size());
}

TEST(SyntheticImagesTest, TextureTellsTheClassAndColourHardlyDoes) {
  const ImageData data = make_synthetic_images({.train = 1000, .test = 500});
  const double by_texture = accuracy(data, texture);
  const double by_colour = accuracy(data, mean_colour);
  EXPECT_GT(by_texture, 0.5);
  EXPECT_LT(by_texture, 0.99);
  EXPECT_LT(by_colour, 0.3);
  EXPECT_GT(by_colour, 0.1);
}

}  // namespace
}  // namespace ridgeline
