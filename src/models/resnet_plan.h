#pragma once

#include <string>
#include <vector>

#include "models/spec.h"

namespace ridgeline {

// A convolution without bias and the BatchNorm that follows it.
struct ConvPlan {
  long in_channels = 0;
  long out_channels = 0;
  long kernel = 1;
  long stride = 1;
  long in_size = 1;  // width and height
  [[nodiscard]] long padding() const { return kernel / 2; }
  [[nodiscard]] long out_size() const { return (in_size + 2 * padding() - kernel) / stride + 1; }
};

enum class Shortcut { Identity, Convolution, PadChannels };

struct BlockPlan {
  std::string name;  // "layer2.0"
  std::vector<ConvPlan> convs;
  Shortcut shortcut = Shortcut::Identity;
  // Of the shortcut's convolution; for PadChannels its channels and stride alone matter.
  ConvPlan downsample;
};

// Every convolution of a ResNet with its shape: what builds the model and what counts it.
struct ResNetPlan {
  ConvPlan stem;
  bool max_pool = false;  // 3x3, stride 2, after the stem
  std::vector<BlockPlan> blocks;
  std::string head_name;  // "fc"
  long features = 0;
  long final_size = 1;
};

[[nodiscard]] ResNetPlan plan_resnet(const ResNetSpec& spec);

}  // namespace ridgeline
