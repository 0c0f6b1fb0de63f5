#include "cuda/kernels/augment.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cuda/device_buffer.h"
#include "cuda/element_codec.h"
#include "cuda/kernels/augment_reference.h"

namespace ridgeline::kernels {
namespace {

constexpr int kSide = 32;
constexpr int kImages = 5;
constexpr int kBatch = 6;
constexpr int kStepsPerEpoch = 3;

struct Case {
  const char* name;
  int size;
  bool resample;
  Element element;
};

std::vector<std::uint8_t> random_images() {
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(kImages * kSide * kSide * 3);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 256);
  return bytes;
}

std::vector<SamplePlan> random_plans(const Case& of) {
  std::mt19937 random(2);
  const auto below = [&](int bound) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(bound));
  };
  std::vector<SamplePlan> plans;
  for (int i = 0; i < kStepsPerEpoch * kBatch; ++i) {
    SamplePlan plan{.image = below(kImages), .flip = below(2)};
    plan.reflect = of.resample ? 0 : below(2);
    plan.height = of.resample ? 1 + below(kSide) : of.size;
    plan.width = of.resample ? 1 + below(kSide) : of.size;
    plan.top = of.resample ? below(kSide - plan.height + 1) : below(9) - 4;
    plan.left = of.resample ? below(kSide - plan.width + 1) : below(9) - 4;
    if (i % 2 == 1) {
      plan.cut_top = below(of.size / 2);
      plan.cut_left = below(of.size / 2);
      plan.cut_height = 8;
      plan.cut_width = 8;
    }
    plans.push_back(plan);
  }
  return plans;
}

class AugmentKernelTest : public testing::TestWithParam<Case> {};

TEST_P(AugmentKernelTest, MatchesTheReference) {
  if (!has_cuda_device()) GTEST_SKIP() << "no CUDA device";
  const Case& of = GetParam();
  const auto images = random_images();
  const auto plans = random_plans(of);
  const std::vector<std::int64_t> labels{3, 1, 4, 1, 5};
  const DeviceBuffer device_images(images);
  const DeviceBuffer device_labels(labels);
  const DeviceBuffer device_plans(plans);
  const DeviceBuffer step(std::vector<std::int64_t>{kStepsPerEpoch + 1});  // the second of an epoch
  const std::size_t elements =
      static_cast<std::size_t>(kBatch) * static_cast<std::size_t>(of.size * of.size * 3);
  const DeviceBuffer out(elements * size_of(of.element));
  const DeviceBuffer out_labels(kBatch * sizeof(std::int64_t));
  Augment args{.images = device_images.as<std::uint8_t>(),
               .labels = device_labels.as<std::int64_t>(),
               .plans = device_plans.as<SamplePlan>(),
               .step = step.as<std::int64_t>(),
               .steps_per_epoch = kStepsPerEpoch,
               .source_height = kSide,
               .source_width = kSide,
               .size = of.size,
               .batch = kBatch,
               .resample = of.resample,
               .factor = {1 / 60.F, 1 / 62.F, 1 / 64.F},
               .offset = {-2, -1.9F, -1.8F},
               .element = of.element,
               .out = out.data(),
               .out_labels = out_labels.as<std::int64_t>()};
  ASSERT_EQ(augment_obstacle(args), nullptr);
  ASSERT_EQ(launch_augment(args, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::span<const SamplePlan> batch = std::span(plans).subspan(kBatch, kBatch);
  AugmentProblem problem{.images = images,
                         .plans = batch,
                         .source_height = kSide,
                         .source_width = kSide,
                         .size = of.size,
                         .resample = of.resample};
  std::copy(std::begin(args.factor), std::end(args.factor), problem.factor);
  std::copy(std::begin(args.offset), std::end(args.offset), problem.offset);
  const auto expected = augment_reference(problem);
  const auto actual = decode(out.read<unsigned char>(), of.element);
  // Half a grey level, and the rounding of what is stored.
  double worst = 0;
  for (std::size_t i = 0; i < elements; ++i)
    worst = std::max(worst, std::abs(actual[i] - static_cast<double>(expected[i])) -
                                rounding(of.element) * std::abs(static_cast<double>(expected[i])));
  EXPECT_LE(worst, 0.5 / 60);
  EXPECT_TRUE(out.guards_intact());
  const auto found = out_labels.read<std::int64_t>();
  for (std::size_t i = 0; i < kBatch; ++i)
    EXPECT_EQ(found[i], labels[static_cast<std::size_t>(batch[i].image)]);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AugmentKernelTest,
                         testing::Values(Case{"Resample224Bf16", 224, true, Element::Bf16},
                                         Case{"Resample224Fp32", 224, true, Element::Fp32},
                                         Case{"Resample224Fp16", 224, true, Element::Fp16},
                                         Case{"Resample32Bf16", 32, true, Element::Bf16},
                                         Case{"Crop32Bf16", 32, false, Element::Bf16},
                                         Case{"Crop24Fp32", 24, false, Element::Fp32}),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST(AugmentObstacleTest, WhatItCannotDoIsSaid) {
  const Augment shrinking{.source_height = 64, .source_width = 64, .size = 32, .resample = true};
  EXPECT_NE(augment_obstacle(shrinking), nullptr);
  const Augment odd{.source_height = 30, .source_width = 30, .size = 30};
  EXPECT_NE(augment_obstacle(odd), nullptr);
}

}  // namespace
}  // namespace ridgeline::kernels
