#pragma once

#include "models/spec.h"

namespace ridgeline::testing {

// Small enough to step in a test, with all kinds of ops that the large ones have.
inline TransformerSpec transformer() {
  return {.label = "small",
          .vocab_size = 256,
          .d_model = 64,
          .d_ff = 256,
          .num_layers = 2,
          .num_heads = 4,
          .num_kv_heads = 2,
          .context_length = 32,
          .batch_size = 2};
}

inline ResNetSpec resnet() {
  return {.label = "resnet18", .num_classes = 10, .image_size = 32, .batch_size = 2};
}

}  // namespace ridgeline::testing
