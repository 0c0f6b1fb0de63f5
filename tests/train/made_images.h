#pragma once

#include "data/image_array.h"
#include "models/spec.h"
#include "stats/random.h"

namespace ridgeline::testing {

// Noise with labels of ten classes, the same every time.
inline ImageArray::Content random_images(int count, int side) {
  ImageArray::Content content{.height = side, .width = side};
  Random random(3);
  content.pixels.resize(static_cast<std::size_t>(count * side * side * 3));
  for (auto& byte : content.pixels) byte = static_cast<std::uint8_t>(random.below(256));
  for (int i = 0; i < count; ++i) content.labels.push_back(static_cast<int>(random.below(10)));
  content.classes.assign(10, "class");
  return content;
}

// The smallest network that trains on them.
inline ResNetSpec small_resnet(int side, int batch) {
  return {.label = "resnet20",
          .family = ResNetSpec::Family::CifarOptionA,
          .depth = 20,
          .stem = ResNetSpec::Stem::Cifar,
          .num_classes = 10,
          .image_size = side,
          .batch_size = batch};
}

}  // namespace ridgeline::testing
