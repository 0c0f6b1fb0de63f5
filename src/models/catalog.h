#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "models/spec.h"

namespace ridgeline {

// Names that `find_model` knows, in the order to list them.
[[nodiscard]] std::vector<std::string_view> model_names();
// Sizes of the `transformer` model.
[[nodiscard]] std::vector<std::string_view> size_names();

[[nodiscard]] std::optional<ModelSpec> find_model(std::string_view name);
[[nodiscard]] std::optional<TransformerSpec> find_size(std::string_view name);

}  // namespace ridgeline
