#pragma once

#include <string>
#include <string_view>

#include "models/spec.h"

namespace ridgeline {

// "8x3x224x224:float32"; without a dtype, float32. Throws Error(BadInput) that quotes the text and
// says what is wrong with it.
[[nodiscard]] InputShape parse_input_shape(std::string_view text);

// The same text back, for messages and rows.
[[nodiscard]] std::string to_text(const InputShape& input);

}  // namespace ridgeline
