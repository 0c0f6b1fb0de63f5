#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sample_plan.h"

// The definition of the augmentation kernel in plain C++; the kernel is tested against it.
namespace ridgeline::kernels {

struct AugmentProblem {
  std::span<const std::uint8_t> images;  // [count, source_height, source_width, 3]
  std::span<const SamplePlan> plans;     // of the batch
  int source_height = 0;
  int source_width = 0;
  int size = 0;
  bool resample = false;
  float factor[3] = {};
  float offset[3] = {};
};

// [plans, size, size, 3]
[[nodiscard]] std::vector<float> augment_reference(const AugmentProblem& problem);

}  // namespace ridgeline::kernels
