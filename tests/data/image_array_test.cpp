#include "data/image_array.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

ImageArray two_images() {
  return ImageArray({.height = 1,
                     .width = 2,
                     .pixels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                     .labels = {1, 0},
                     .classes = {"cat", "dog"},
                     .origin = "test"});
}

TEST(ImageArrayTest, ImagesLieOneAfterTheOther) {
  std::vector<std::uint8_t> scratch;
  const ImageArray images = two_images();
  const ImageView second = images.read(1, scratch);
  EXPECT_EQ(second.pixels[0], 7);
  EXPECT_EQ(second.width, 2);
  EXPECT_EQ(images.label(0), 1);
  EXPECT_EQ(images.sample_name(1), "test, image 1");
}

TEST(ImageArrayTest, ALabelBeyondTheClassesIsAMistakeOfOurs) {
  EXPECT_THROW(ImageArray({.height = 1,
                           .width = 1,
                           .pixels = {1, 2, 3},
                           .labels = {2},
                           .classes = {"cat", "dog"},
                           .origin = "test"}),
               std::exception);
}

}  // namespace
}  // namespace ridgeline
