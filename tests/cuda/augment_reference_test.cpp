#include "cuda/kernels/augment_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline::kernels {
namespace {

using testing::ElementsAre;

// Two by two, one value a pixel in all channels.
const std::vector<std::uint8_t> kImage{0, 0, 0, 100, 100, 100, 200, 200, 200, 40, 40, 40};

std::vector<float> first_channel(const AugmentProblem& problem) {
  std::vector<float> values;
  const std::vector<float> all = augment_reference(problem);
  for (std::size_t i = 0; i < all.size(); i += 3) values.push_back(all[i]);
  return values;
}

AugmentProblem problem_of(const std::vector<SamplePlan>& plans, int size, bool resample) {
  return {.images = kImage,
          .plans = plans,
          .source_height = 2,
          .source_width = 2,
          .size = size,
          .resample = resample,
          .factor = {1, 1, 1},
          .offset = {0, 0, 0}};
}

TEST(AugmentReferenceTest, AWholeImageIsItself) {
  const std::vector<SamplePlan> plans{{.height = 2, .width = 2}};
  EXPECT_THAT(first_channel(problem_of(plans, 2, true)), ElementsAre(0, 100, 200, 40));
  EXPECT_THAT(first_channel(problem_of(plans, 2, false)), ElementsAre(0, 100, 200, 40));
}

TEST(AugmentReferenceTest, AFlipExchangesLeftAndRight) {
  const std::vector<SamplePlan> plans{{.height = 2, .width = 2, .flip = 1}};
  EXPECT_THAT(first_channel(problem_of(plans, 2, false)), ElementsAre(100, 0, 40, 200));
}

TEST(AugmentReferenceTest, BeyondTheImageACropIsBlack) {
  const std::vector<SamplePlan> plans{{.top = -1, .left = 1, .height = 2, .width = 2}};
  EXPECT_THAT(first_channel(problem_of(plans, 2, false)), ElementsAre(0, 0, 100, 0));
}

TEST(AugmentReferenceTest, BeyondTheImageAReflectingCropIsItsMirrorImage) {
  const std::vector<SamplePlan> plans{
      {.top = -1, .left = 1, .height = 2, .width = 2, .reflect = 1}};
  EXPECT_THAT(first_channel(problem_of(plans, 2, false)), ElementsAre(40, 200, 100, 0));
}

// Doubling: outputs lie a quarter pixel beside their source, the border is repeated.
TEST(AugmentReferenceTest, EnlargingMixesTheTwoNearest) {
  const std::vector<SamplePlan> plans{{.height = 1, .width = 2}};
  EXPECT_THAT(first_channel(problem_of(plans, 4, true)),
              ElementsAre(0, 25, 75, 100, 0, 25, 75, 100, 0, 25, 75, 100, 0, 25, 75, 100));
}

TEST(AugmentReferenceTest, ACutIsTheMean) {
  const std::vector<SamplePlan> plans{
      {.height = 2, .width = 2, .cut_top = 1, .cut_left = 0, .cut_height = 1, .cut_width = 1}};
  AugmentProblem problem = problem_of(plans, 2, false);
  problem.offset[0] = -50;
  EXPECT_THAT(first_channel(problem), ElementsAre(-50, 50, 0, -10));
}

}  // namespace
}  // namespace ridgeline::kernels
