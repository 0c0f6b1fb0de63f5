#include "models/parameter_sizes.h"

#include <fmt/format.h>

#include "models/resnet_plan.h"
#include "models/transformer_names.h"

namespace ridgeline {
namespace {

using Sizes = std::vector<ParameterSize>;

void add_convolution(Sizes& sizes, const ConvPlan& conv, const std::string& conv_name,
                     const std::string& norm_name) {
  sizes.push_back({.name = conv_name + ".weight",
                   .count = conv.out_channels * conv.in_channels * conv.kernel * conv.kernel});
  sizes.push_back({.name = norm_name + ".weight", .count = conv.out_channels});
  sizes.push_back({.name = norm_name + ".bias", .count = conv.out_channels});
}

Sizes sizes_of(const ResNetSpec& spec) {
  const ResNetPlan plan = plan_resnet(spec);
  Sizes sizes;
  add_convolution(sizes, plan.stem, "conv1", "bn1");
  for (const BlockPlan& block : plan.blocks) {
    for (std::size_t i = 0; i < block.convs.size(); ++i)
      add_convolution(sizes, block.convs[i], fmt::format("{}.conv{}", block.name, i + 1),
                      fmt::format("{}.bn{}", block.name, i + 1));
    if (block.shortcut == Shortcut::Convolution)
      add_convolution(sizes, block.downsample, block.name + ".downsample.0",
                      block.name + ".downsample.1");
  }
  sizes.push_back({.name = plan.head_name + ".weight", .count = plan.features * spec.num_classes});
  sizes.push_back({.name = plan.head_name + ".bias", .count = spec.num_classes});
  return sizes;
}

std::int64_t size_of(const TransformerSpec& spec, LayerWeight weight) {
  const long width = spec.d_model;
  switch (weight) {
    case LayerWeight::AttentionNorm:
    case LayerWeight::FeedForwardNorm:
      return width;
    case LayerWeight::Q:
    case LayerWeight::Output:
      return width * width;
    case LayerWeight::K:
    case LayerWeight::V:
      return width * (width / spec.num_heads * spec.num_kv_heads);
    case LayerWeight::Gate:
    case LayerWeight::Down:
    case LayerWeight::Up:
      break;
  }
  return width * spec.d_ff;
}

Sizes sizes_of(const TransformerSpec& spec) {
  const TransformerNames& names = names_of(spec.naming);
  const std::int64_t table = spec.vocab_size * spec.d_model;
  Sizes sizes{{.name = names.embedding, .count = table}};
  for (long i = 0; i < spec.num_layers; ++i) {
    for (const auto& [name, weight] : names.layer)
      sizes.push_back(
          {.name = fmt::format("{}.{}.{}", names.layers, i, name), .count = size_of(spec, weight)});
  }
  sizes.push_back({.name = names.final_norm, .count = spec.d_model});
  if (!spec.tied) sizes.push_back({.name = names.head, .count = table});
  return sizes;
}

Sizes sizes_of(const AttentionSpec& spec) {
  const std::int64_t count = spec.batch_size * spec.num_heads * spec.context_length * spec.head_dim;
  return {
      {.name = "q", .count = count}, {.name = "k", .count = count}, {.name = "v", .count = count}};
}

Sizes sizes_of(const FileSpec& /*spec*/) { return {}; }

}  // namespace

std::vector<ParameterSize> parameter_sizes(const ModelSpec& spec) {
  return std::visit([](const auto& known) { return sizes_of(known); }, spec);
}

}  // namespace ridgeline
