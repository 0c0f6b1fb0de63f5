#include <ATen/ATen.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/catalog.h"
#include "models/make.h"
#include "models/model_check.h"

namespace ridgeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

ResNetSpec small_images(std::string_view name) {
  auto spec = std::get<ResNetSpec>(*find_model(name));
  spec.image_size = 32;
  spec.num_classes = 10;
  return spec;
}

std::unique_ptr<Model> make(const ResNetSpec& spec, bool checkpointing = false) {
  return make_model(spec, {.ops = plain_ops(), .activation_checkpointing = checkpointing}, 42);
}

TEST(ResNetTest, HoldsAsManyNumbersAsTheSpecCounts) {
  for (const auto name : {"resnet18", "resnet34", "resnet50", "resnet20", "resnet56"}) {
    const auto spec = *find_model(name);
    const auto model = make_model(spec, {.ops = plain_ops()}, 1);
    EXPECT_EQ(numbers_in(model->parameters()), *parameter_count(spec)) << name;
  }
}

TEST(ResNetTest, NamesAreTorchvisions) {
  const auto names = names_in(make(small_images("resnet18"))->parameters());
  EXPECT_EQ(names.size(), 62U);
  EXPECT_EQ(names.front(), "conv1.weight");
  EXPECT_EQ(names.back(), "fc.bias");
  EXPECT_THAT(names, Contains("layer2.0.downsample.0.weight"));
  EXPECT_THAT(names, Contains("layer2.0.downsample.1.bias"));
  EXPECT_THAT(names_in(make(small_images("resnet50"))->parameters()),
              Contains("layer4.2.bn3.bias"));
}

TEST(ResNetTest, CifarFamilyHasNoShortcutWeights) {
  const auto model = make(small_images("resnet20"));
  const auto names = names_in(model->parameters());
  EXPECT_EQ(names.size(), 19U * 3 + 2);
  EXPECT_THAT(names, Contains("layer3.2.conv2.weight"));
  EXPECT_THAT(names, Contains("linear.weight"));
  const auto buffers = names_in(model->buffers());
  EXPECT_EQ(buffers.size(), 19U * 3);
  EXPECT_THAT(buffers, Contains("layer1.0.bn1.num_batches_tracked"));
}

TEST(ResNetTest, EveryParameterGetsAGradient) {
  for (const auto name : {"resnet18", "resnet50", "resnet20"}) {
    for (const bool checkpointing : {false, true}) {
      const auto model = make(small_images(name), checkpointing);
      differentiate(*model, 7);
      EXPECT_THAT(without_gradient(*model), IsEmpty()) << name;
    }
  }
}

TEST(ResNetTest, CheckpointingChangesNoGradientAndNoStatistic) {
  const auto plain = make(small_images("resnet20"));
  const auto small = make(small_images("resnet20"), /*checkpointing=*/true);
  differentiate(*plain, 7);
  differentiate(*small, 7);
  const auto expected = plain->parameters();
  const auto found = small->parameters();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::equal(found[i].second.grad(), expected[i].second.grad())) << expected[i].first;
  }
  const auto statistics = plain->buffers();
  const auto statistics_found = small->buffers();
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    EXPECT_TRUE(at::equal(statistics_found[i].second, statistics[i].second)) << statistics[i].first;
  }
}

TEST(ResNetTest, BatchesAreCountedInTrainingOnly) {
  const auto model = make(small_images("resnet20"));
  const auto images = model->synthetic_batch(1).first;
  (void)model->forward(images);
  (void)model->forward(images);
  model->set_training(false);
  (void)model->forward(images);
  for (const auto& [name, buffer] : model->buffers()) {
    if (!name.ends_with("num_batches_tracked")) continue;
    EXPECT_EQ(buffer.item<long>(), 2) << name;
  }
}

TEST(ResNetTest, EvaluationDoesNotDependOnTheOtherImages) {
  const auto model = make(small_images("resnet20"));
  model->set_training(false);
  const auto images = model->synthetic_batch(1).first;
  const at::Tensor together = model->forward(images);
  EXPECT_TRUE(
      at::allclose(model->forward(images.narrow(0, 0, 1)), together.narrow(0, 0, 1), 1e-4, 1e-5));
}

TEST(ResNetTest, ChannelsLastStaysChannelsLastAndGivesTheSameLogits) {
  const auto model = make(small_images("resnet18"));
  const auto images = model->synthetic_batch(1).first;
  const at::Tensor plain = model->forward(images);
  for (const auto& [name, parameter] : model->parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
  const at::Tensor last = model->forward(images.contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::allclose(last, plain, 1e-3, 1e-4));
}

TEST(ResNetTest, NormsStartAtOneAndZero) {
  for (const auto& [name, parameter] : make(small_images("resnet18"))->parameters()) {
    if (name == "layer1.0.bn2.weight") {
      EXPECT_TRUE(at::equal(parameter, at::ones({64})));
    }
    if (name == "layer1.0.bn2.bias") {
      EXPECT_TRUE(at::equal(parameter, at::zeros({64})));
    }
    if (name == "layer4.1.conv2.weight") {
      EXPECT_NEAR(parameter.std().item<float>(), std::sqrt(2.0 / (512 * 9)), 1e-4);
    }
  }
}

}  // namespace
}  // namespace ridgeline
