#include "train/image_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "made_images.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using Geometry = TransformOptions::Geometry;

void require(int side, Geometry geometry, int size, TransformChoice choice) {
  require_fitting_images(ImageArray(testing::random_images(1, side)),
                         {.geometry = geometry, .size = size}, choice);
}

TEST(RequireFittingImagesTest, UnaskedNoPieceIsCutOutOfPhotographs) {
  for (const Geometry geometry : {Geometry::RandomCrop, Geometry::CenterCrop}) {
    require(32, geometry, 32, TransformChoice::Usual);
    EXPECT_THAT(
        message_of(Fault::BadInput, [&] { require(64, geometry, 32, TransformChoice::Usual); }),
        HasSubstr("these have 64x64"));
  }
}

TEST(RequireFittingImagesTest, ACropThatWasAskedForTakesLargerImagesOnly) {
  for (const Geometry geometry : {Geometry::RandomCrop, Geometry::CenterCrop}) {
    require(32, geometry, 28, TransformChoice::Asked);
    EXPECT_THAT(
        message_of(Fault::BadInput, [&] { require(24, geometry, 28, TransformChoice::Asked); }),
        HasSubstr("at least that size"));
  }
}

}  // namespace
}  // namespace ridgeline
