#include "train/resident_batches.h"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "cuda/kernels/augment_reference.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr int kSide = 8;
constexpr std::size_t kImages = 24;

ImageArray random_images() {
  ImageArray::Content content{.height = kSide, .width = kSide};
  Random random(1);
  content.pixels.resize(kImages * kSide * kSide * 3);
  for (auto& byte : content.pixels) byte = static_cast<std::uint8_t>(random.below(256));
  for (std::size_t i = 0; i < kImages; ++i)
    content.labels.push_back(static_cast<int>(random.below(4)));
  content.classes = {"a", "b", "c", "d"};
  return ImageArray(std::move(content));
}

EpochPlanOptions options_of(TransformOptions::Geometry geometry, int size) {
  EpochPlanOptions options;
  options.transform.geometry = geometry;
  options.transform.size = size;
  options.transform.padding = 2;
  options.transform.cutout = 2;
  options.transform.normalisation = kCifarNormalisation;
  options.loader = {.batch_size = 6, .workers = 0, .seed = 9};
  return options;
}

// What a device makes from the plans is what the loader makes, to a grey level.
void expect_the_loaders_batches(const EpochPlanOptions& options) {
  const ImageArray images = random_images();
  const Transform transform(options.transform);
  Loader loader(images, transform, options.loader);
  loader.start_epoch(3);
  const auto plans = plan_epoch(images, options, 3, kImages);
  kernels::AugmentProblem problem{
      .images = images.content().pixels,
      .plans = plans,
      .source_height = kSide,
      .source_width = kSide,
      .size = options.transform.size,
      .resample = options.transform.geometry == TransformOptions::Geometry::RandomResizedCrop};
  float level = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const Normalisation& n = options.transform.normalisation;
    problem.factor[c] = 1 / (255 * n.std[c]);
    problem.offset[c] = -n.mean[c] / n.std[c];
    level = std::max(level, problem.factor[c]);
  }
  const std::vector<float> made = kernels::augment_reference(problem);
  std::size_t at = 0;
  while (const auto batch = loader.next()) {
    const std::size_t values =
        batch->count * static_cast<std::size_t>(problem.size * problem.size * 3);
    std::vector<float> expected(values);
    std::memcpy(expected.data(), batch->pixels, values * sizeof(float));
    for (std::size_t i = 0; i < values; ++i) ASSERT_NEAR(made[at + i], expected[i], 1.01F * level);
    for (std::size_t i = 0; i < batch->count; ++i) {
      const SamplePlan& plan = plans[at / (values / batch->count) + i];
      EXPECT_EQ(images.label(static_cast<std::size_t>(plan.image)), batch->labels[i]);
    }
    at += values;
    loader.release(*batch);
  }
  EXPECT_EQ(at, made.size());
}

TEST(ResidentBatchesTest, PaddedCropsAreTheLoaders) {
  expect_the_loaders_batches(options_of(TransformOptions::Geometry::RandomCrop, kSide));
}

TEST(ResidentBatchesTest, ResizedCropsAreTheLoaders) {
  expect_the_loaders_batches(options_of(TransformOptions::Geometry::RandomResizedCrop, 16));
}

TEST(ResidentBatchesTest, AnEpochVisitsEveryImageOnce) {
  const ImageArray images = random_images();
  const auto plans =
      plan_epoch(images, options_of(TransformOptions::Geometry::RandomCrop, kSide), 0, kImages);
  std::set<std::int32_t> seen;
  for (const SamplePlan& plan : plans) seen.insert(plan.image);
  EXPECT_EQ(seen.size(), kImages);
}

}  // namespace
}  // namespace ridgeline
