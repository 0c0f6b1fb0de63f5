#include "models/resnet_plan.h"

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr long kImageChannels = 3;
constexpr long kBottleneckExpansion = 4;

struct Architecture {
  std::vector<long> blocks_per_stage;
  std::vector<long> widths;
  bool bottleneck = false;
};

Architecture architecture_of(const ResNetSpec& spec) {
  if (spec.family == ResNetSpec::Family::CifarOptionA) {
    const long blocks = (spec.depth - 2) / 6;
    return {.blocks_per_stage = {blocks, blocks, blocks}, .widths = {16, 32, 64}};
  }
  const std::vector<long> widths{64, 128, 256, 512};
  switch (spec.depth) {
    case 18:
      return {.blocks_per_stage = {2, 2, 2, 2}, .widths = widths};
    case 34:
      return {.blocks_per_stage = {3, 4, 6, 3}, .widths = widths};
    case 50:
      return {.blocks_per_stage = {3, 4, 6, 3}, .widths = widths, .bottleneck = true};
    default:
      throw bad_input(fmt::format("no ResNet of depth {}; there are 18, 34 and 50", spec.depth));
  }
}

struct BlockShape {
  long in_channels;
  long width;
  long stride;
  long in_size;
};

BlockPlan basic_block(const BlockShape& shape) {
  BlockPlan block;
  const ConvPlan first{.in_channels = shape.in_channels,
                       .out_channels = shape.width,
                       .kernel = 3,
                       .stride = shape.stride,
                       .in_size = shape.in_size};
  block.convs = {first,
                 {.in_channels = shape.width,
                  .out_channels = shape.width,
                  .kernel = 3,
                  .in_size = first.out_size()}};
  return block;
}

BlockPlan bottleneck_block(const BlockShape& shape) {
  BlockPlan block;
  const ConvPlan reduce{
      .in_channels = shape.in_channels, .out_channels = shape.width, .in_size = shape.in_size};
  const ConvPlan spatial{.in_channels = shape.width,
                         .out_channels = shape.width,
                         .kernel = 3,
                         .stride = shape.stride,
                         .in_size = shape.in_size};
  const ConvPlan expand{.in_channels = shape.width,
                        .out_channels = shape.width * kBottleneckExpansion,
                        .in_size = spatial.out_size()};
  block.convs = {reduce, spatial, expand};
  return block;
}

void add_shortcut(BlockPlan& block, const BlockShape& shape, ResNetSpec::Family family) {
  const long out_channels = block.convs.back().out_channels;
  if (shape.stride == 1 && shape.in_channels == out_channels) return;
  block.shortcut =
      family == ResNetSpec::Family::CifarOptionA ? Shortcut::PadChannels : Shortcut::Convolution;
  block.downsample = {.in_channels = shape.in_channels,
                      .out_channels = out_channels,
                      .stride = shape.stride,
                      .in_size = shape.in_size};
}

}  // namespace

ResNetPlan plan_resnet(const ResNetSpec& spec) {
  const Architecture architecture = architecture_of(spec);
  const bool image_net = spec.stem == ResNetSpec::Stem::ImageNet;
  ResNetPlan plan;
  plan.stem = {.in_channels = kImageChannels,
               .out_channels = architecture.widths.front(),
               .kernel = image_net ? 7 : 3,
               .stride = image_net ? 2 : 1,
               .in_size = spec.image_size};
  plan.max_pool = image_net;
  plan.head_name = spec.family == ResNetSpec::Family::CifarOptionA ? "linear" : "fc";

  long channels = plan.stem.out_channels;
  long size = plan.stem.out_size();
  if (plan.max_pool) size = ConvPlan{.kernel = 3, .stride = 2, .in_size = size}.out_size();
  for (std::size_t stage = 0; stage < architecture.widths.size(); ++stage) {
    for (long i = 0; i < architecture.blocks_per_stage[stage]; ++i) {
      const BlockShape shape{.in_channels = channels,
                             .width = architecture.widths[stage],
                             .stride = stage > 0 && i == 0 ? 2 : 1,
                             .in_size = size};
      BlockPlan block = architecture.bottleneck ? bottleneck_block(shape) : basic_block(shape);
      block.name = fmt::format("layer{}.{}", stage + 1, i);
      add_shortcut(block, shape, spec.family);
      channels = block.convs.back().out_channels;
      size = block.convs.back().out_size();
      plan.blocks.push_back(std::move(block));
    }
  }
  plan.features = channels;
  plan.final_size = size;
  return plan;
}

}  // namespace ridgeline
