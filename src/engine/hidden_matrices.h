#pragma once

#include <cstddef>
#include <vector>

#include "engine/model.h"

namespace ridgeline {

// Which of the model's parameters map hidden features to hidden features, by their places in
// parameters(): all with at least two dimensions that are not at its ends.
[[nodiscard]] std::vector<std::size_t> hidden_matrices(const Model& model);

}  // namespace ridgeline
