#pragma once

#include <string>
#include <utility>
#include <vector>

// Torch's headers cost seconds a file, so headers name its tensor and only sources define it.
namespace at {
class Tensor;
}

namespace ridgeline {

using Tensors = std::vector<at::Tensor>;
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

}  // namespace ridgeline
