#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "cuda/kernels/batch_norm.h"
#include "data/sample_plan.h"

namespace ridgeline::kernels {

// A batch made from images that lie on the device: each sample's part of its image, resampled or
// copied, flipped, cut out, normalised; NHWC. Asynchronous on `stream`.
struct Augment {
  const std::uint8_t* images = nullptr;  // [count, source_height, source_width, 3]
  const std::int64_t* labels = nullptr;  // [count]
  const SamplePlan* plans = nullptr;     // of an epoch
  const std::int64_t* step = nullptr;    // on the device: which batch of the run
  std::int64_t steps_per_epoch = 1;      // the batch of the epoch is step modulo this
  std::int64_t batches_a_step = 1;       // micro-batches ...
  std::int64_t micro = 0;                // ... and which of them this is
  int source_height = 0;
  int source_width = 0;
  int size = 0;  // of the output, a square
  int batch = 0;
  bool resample = false;  // else the part is as large as the output
  float factor[3] = {};   // out = value * factor + offset, value 0 to 255
  float offset[3] = {};
  Element element = Element::Bf16;
  void* out = nullptr;  // [batch, size, size, 3], 16-byte aligned
  std::int64_t* out_labels = nullptr;
};

// Null when the kernel takes this; else why not: it enlarges, two taps a side, and stores 16 bytes
// at a time.
[[nodiscard]] const char* augment_obstacle(const Augment& args);
[[nodiscard]] cudaError_t launch_augment(const Augment& args, cudaStream_t stream);

}  // namespace ridgeline::kernels
