// Held against the models that are really built.
#include <ATen/core/Tensor.h>

#include <gtest/gtest.h>

#include "models/catalog.h"
#include "models/make.h"
#include "models/parameter_sizes.h"

namespace ridgeline {
namespace {

void expect_those_of(const ModelSpec& spec) {
  const auto parameters = make_model(spec, {.ops = plain_ops()}, 1)->parameters();
  const auto sizes = parameter_sizes(spec);
  ASSERT_EQ(sizes.size(), parameters.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(sizes[i].name, parameters[i].first);
    EXPECT_EQ(sizes[i].count, parameters[i].second.numel()) << sizes[i].name;
  }
}

TEST(ParameterSizesOfModelsTest, ResNetsHaveTheseNamesAndSizes) {
  for (const auto name : {"resnet18", "resnet50", "resnet20"}) expect_those_of(*find_model(name));
}

TEST(ParameterSizesOfModelsTest, TransformersHaveTheseNamesAndSizes) {
  using Naming = TransformerSpec::Naming;
  for (const Naming naming : {Naming::Cs336, Naming::Llama}) {
    for (const bool tied : {false, true}) {
      expect_those_of(TransformerSpec{.label = "small",
                                      .vocab_size = 96,
                                      .d_model = 32,
                                      .d_ff = 80,
                                      .num_layers = 2,
                                      .num_heads = 4,
                                      .num_kv_heads = 2,
                                      .context_length = 8,
                                      .batch_size = 1,
                                      .tied = tied,
                                      .naming = naming});
    }
  }
}

TEST(ParameterSizesOfModelsTest, AttentionsInputsAreItsParameters) {
  expect_those_of(AttentionSpec{.batch_size = 2, .num_heads = 2, .context_length = 8});
}

}  // namespace
}  // namespace ridgeline
