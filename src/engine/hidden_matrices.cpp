#include "engine/hidden_matrices.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

namespace ridgeline {

std::vector<std::size_t> hidden_matrices(const Model& model) {
  const ModelEnds ends = model.ends();
  const NamedTensors parameters = model.parameters();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, tensor] = parameters[i];
    const bool hidden = std::ranges::find(ends.inputs, name) == ends.inputs.end() &&
                        std::ranges::find(ends.head, name) == ends.head.end();
    if (hidden && tensor.dim() >= 2) places.push_back(i);
  }
  return places;
}

}  // namespace ridgeline
