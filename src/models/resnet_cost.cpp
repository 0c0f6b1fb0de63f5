#include <algorithm>

#include "models/resnet_plan.h"
#include "models/segment.h"

namespace ridgeline {
namespace {

constexpr double kFp32 = 4;
constexpr double kIndex = 8;  // int64: max-pool's indices, labels

struct Shape {
  double images;
  Widths bytes;
  bool cuda;
};

double square(long size) { return static_cast<double>(size) * static_cast<double>(size); }

double inputs_of(const Shape& s, const ConvPlan& conv) {
  return s.images * static_cast<double>(conv.in_channels) * square(conv.in_size);
}

double outputs_of(const Shape& s, const ConvPlan& conv) {
  return s.images * static_cast<double>(conv.out_channels) * square(conv.out_size());
}

double weights_of(const ConvPlan& conv) {
  return static_cast<double>(conv.in_channels * conv.out_channels) * square(conv.kernel);
}

// Adds a convolution's and its BatchNorm's weights and products. The image needs no gradient, so
// the stem has only half a backward.
void add_convolution(ModelSegment& segment, const Shape& s, const ConvPlan& conv,
                     bool needs_input_grad) {
  const double weights = weights_of(conv);
  const double norm = 2 * static_cast<double>(conv.out_channels);
  const double flop = 2 * outputs_of(s, conv) * weights / static_cast<double>(conv.out_channels);
  segment.parameters += weights + norm;
  segment.hidden.push_back(
      {.rows = conv.out_channels, .columns = conv.in_channels * conv.kernel * conv.kernel});
  segment.weight_bytes += s.bytes.storage * weights + kFp32 * norm;
  segment.forward_flop += flop;
  segment.backward_flop += needs_input_grad ? 2 * flop : flop;
  if (s.bytes.autocast) segment.cast_bytes += s.bytes.compute * weights;
  // The convolution's output, which BatchNorm keeps, and its mean and deviation a channel.
  segment.saved_bytes += s.bytes.compute * outputs_of(s, conv) + kFp32 * norm;
}

// The CPU's convolutions copy weights and results into a layout of their own while they run.
double reordered(const Shape& s, const ConvPlan& conv) {
  return s.cuda ? 0 : weights_of(conv) + outputs_of(s, conv);
}

ModelSegment stem(const Shape& s, const ResNetPlan& plan) {
  ModelSegment segment;
  add_convolution(segment, s, plan.stem, /*needs_input_grad=*/false);
  const double out = outputs_of(s, plan.stem);
  const double image = inputs_of(s, plan.stem);
  if (s.bytes.autocast) segment.saved_bytes += s.bytes.compute * image;
  if (plan.max_pool) {
    const double pooled = inputs_of(s, plan.blocks.front().convs.front());
    segment.saved_bytes += s.bytes.compute * out + kIndex * pooled;
    segment.forward_scratch = s.bytes.compute * pooled;
  } else {
    segment.forward_scratch = s.bytes.compute * out;
  }
  segment.backward_scratch = 2 * s.bytes.compute * out;
  segment.inference_scratch = 2 * s.bytes.compute * out;
  return segment;
}

ModelSegment block_segment(const Shape& s, const BlockPlan& block) {
  ModelSegment segment;
  const double input = inputs_of(s, block.convs.front());
  const double output = outputs_of(s, block.convs.back());
  segment.input_bytes = s.bytes.compute * input;
  segment.saved_bytes = segment.input_bytes;
  double largest = 0;
  double copies = 0;
  for (std::size_t i = 0; i < block.convs.size(); ++i) {
    const ConvPlan& conv = block.convs[i];
    add_convolution(segment, s, conv, /*needs_input_grad=*/true);
    // The activation between two convolutions; the last one is the next segment's input.
    if (i + 1 < block.convs.size()) segment.saved_bytes += s.bytes.compute * outputs_of(s, conv);
    largest = std::max(largest, inputs_of(s, conv) + outputs_of(s, conv));
    copies = std::max(copies, reordered(s, conv));
  }
  if (block.shortcut == Shortcut::Convolution) {
    add_convolution(segment, s, block.downsample, /*needs_input_grad=*/true);
  }
  const double shortcut = block.shortcut == Shortcut::Identity ? 0 : output;
  segment.forward_scratch = s.bytes.compute * (output + shortcut + copies);
  segment.backward_scratch = s.bytes.compute * (largest + output + copies);
  segment.inference_scratch = s.bytes.compute * (input + largest + shortcut + copies);
  return segment;
}

ModelSegment head(const Shape& s, const ResNetPlan& plan, double classes) {
  const double features = static_cast<double>(plan.features);
  ModelSegment segment;
  segment.parameters = features * classes + classes;
  segment.weight_bytes = s.bytes.storage * segment.parameters;
  segment.forward_flop = 2 * s.images * features * classes;
  segment.backward_flop = 2 * segment.forward_flop;
  if (s.bytes.autocast) segment.cast_bytes = s.bytes.compute * segment.parameters;
  const double map = s.images * features * square(plan.final_size);
  segment.saved_bytes = s.bytes.compute * (map + s.images * features) + kFp32 * s.images * classes;
  segment.forward_scratch = kFp32 * s.images * classes;
  segment.backward_scratch = s.bytes.compute * map + 2 * kFp32 * s.images * classes;
  segment.inference_scratch = s.bytes.compute * (map + s.images * (features + classes));
  return segment;
}

// Running mean, variance (fp32) and count (int64) of every BatchNorm.
double buffer_bytes(const ResNetPlan& plan) {
  double bytes = 0;
  const auto add = [&](const ConvPlan& conv) {
    bytes += 2 * kFp32 * static_cast<double>(conv.out_channels) + kIndex;
  };
  add(plan.stem);
  for (const BlockPlan& block : plan.blocks) {
    for (const ConvPlan& conv : block.convs) add(conv);
    if (block.shortcut == Shortcut::Convolution) add(block.downsample);
  }
  return bytes;
}

}  // namespace

CostPlan plan_costs(const ResNetSpec& spec, const RunSettings& settings) {
  const ResNetPlan network = plan_resnet(spec);
  const Shape shape{.images = static_cast<double>(spec.batch_size),
                    .bytes = widths_of(settings.precision),
                    .cuda = settings.device.kind == DeviceKind::Cuda};
  const double classes = static_cast<double>(spec.num_classes);
  CostPlan plan;
  plan.segments.push_back(stem(shape, network));
  for (const BlockPlan& block : network.blocks) {
    plan.segments.push_back(block_segment(shape, block));
    plan.segments.back().checkpointed = settings.activation_checkpointing;
  }
  plan.segments.push_back(head(shape, network, classes));
  for (ModelSegment& segment : plan.segments) segment.useful_backward_flop = segment.backward_flop;
  plan.fixed_bytes = buffer_bytes(network);
  plan.batch_bytes = shape.bytes.storage * inputs_of(shape, network.stem) + kIndex * shape.images;
  plan.output_bytes = shape.bytes.compute * shape.images * classes;
  return plan;
}

}  // namespace ridgeline
