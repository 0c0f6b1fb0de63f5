#pragma once

#include <cstddef>
#include <cstdint>

#include "data/image_set.h"

namespace ridgeline {

struct SyntheticImageOptions {
  std::size_t train = 5120;
  std::size_t test = 1024;
  int classes = 10;
  int size = 32;
  std::uint64_t seed = 42;
};

// Images that can be learnt with no download: a class is a direction and a width of stripes, with a
// hint of colour; phase, contrast, tint, a bright spot and noise are chance. Neither a pixel nor
// the mean colour gives the class away; a small convolutional network finds it in an epoch. A
// function of the options alone, the test images others than the training ones.
[[nodiscard]] ImageData make_synthetic_images(const SyntheticImageOptions& options = {});

}  // namespace ridgeline
