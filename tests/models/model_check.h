#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engine/model.h"

namespace ridgeline {

inline std::vector<std::string> names_in(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

inline std::int64_t numbers_in(const NamedTensors& tensors) {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : tensors) count += tensor.numel();
  return count;
}

// Runs a backward of the model on its own batch.
inline void differentiate(Model& model, std::uint64_t seed) {
  const auto [input, target] = model.synthetic_batch(seed);
  if (const at::Tensor start = model.gradient_seed(); start.defined()) {
    model.forward(input).backward(start);
  } else {
    model.loss(input, target).backward();
  }
}

// Names of the parameters whose gradient is absent, zero throughout or not finite.
inline std::vector<std::string> without_gradient(const Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : model.parameters()) {
    const at::Tensor& grad = parameter.grad();
    if (!grad.defined() || !grad.isfinite().all().item<bool>() ||
        grad.abs().max().item<float>() == 0) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace ridgeline
