#include "train/image_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "made_images.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

TEST(RequireFittingImagesTest, ThePictureThatDoesNotFitIsNamed) {
  const ImageArray images(testing::random_images(1, 64));
  const TransformOptions crop{.geometry = TransformOptions::Geometry::RandomCrop,
                              .size = 32,
                              .sizes = TransformOptions::Sizes::Exactly};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { require_fitting_images(images, crop); }),
              HasSubstr("image 0: --transform crop32 cuts pieces"));
  require_fitting_images(images, parse_transform("rrc32"));
}

const ResNetSpec kEndsAtOnePixel{.label = "resnet18", .num_classes = 10, .image_size = 32};

TEST(RequireVariancesTest, OneImageIsNoBatchWhereTheModelEndsAtOnePixel) {
  const LoaderOptions alone{.batch_size = 1};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { require_variances(kEndsAtOnePixel, alone, 8, 1); }),
              HasSubstr("--batch-size 1"));
  require_variances(testing::small_resnet(32, 1), alone, 8, 1);
  require_variances(kEndsAtOnePixel, {.batch_size = 2}, 8, 1);
}

TEST(RequireVariancesTest, NorIsALastImageThatIsLeftOver) {
  LoaderOptions loader{.batch_size = 32, .drop_last = false};
  EXPECT_THAT(
      message_of(Fault::BadInput, [&] { require_variances(kEndsAtOnePixel, loader, 33, 1); }),
      HasSubstr("--no-drop-last"));
  require_variances(kEndsAtOnePixel, loader, 34, 1);
  require_variances(kEndsAtOnePixel, loader, 65, 2);  // its three batches are one step
  loader.drop_last = true;
  require_variances(kEndsAtOnePixel, loader, 33, 1);
}

}  // namespace
}  // namespace ridgeline
