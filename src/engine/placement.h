#pragma once

#include <utility>

#include "engine/model.h"

namespace c10 {
struct Device;
}

namespace ridgeline {

[[nodiscard]] c10::Device torch_device(const Device& device);

// Moves the model to the device, in the precision's storage dtype and the memory layout asked for.
// BatchNorm's parameters and statistics stay fp32 in every precision, as its kernels want them.
void place_model(Model& model, const RunSettings& settings);

// The same for a batch; integer tensors keep their dtype.
[[nodiscard]] std::pair<at::Tensor, at::Tensor> place_batch(std::pair<at::Tensor, at::Tensor> batch,
                                                            const RunSettings& settings);

}  // namespace ridgeline
