#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/spec.h"

namespace ridgeline {

struct ParameterSize {
  std::string name{};  // that of the PyTorch original: "layer1.0.conv1.weight"
  std::int64_t count{};
};

// Every parameter of a model, in the order of its state_dict, without building it; none of a file's
// model, of which nothing is known.
[[nodiscard]] std::vector<ParameterSize> parameter_sizes(const ModelSpec& spec);

}  // namespace ridgeline
