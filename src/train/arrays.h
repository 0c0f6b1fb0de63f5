#pragma once

#include <string>

#include "data/value.h"
#include "engine/tensors.h"

namespace ridgeline {

// A copy on the host, row-major whatever the tensor's layout.
[[nodiscard]] Array to_array(const at::Tensor& tensor);
[[nodiscard]] Value to_dict(const NamedTensors& tensors);

// A view of the array's bytes.
[[nodiscard]] at::Tensor to_tensor(const Array& array);

// Why `array` cannot become `tensor`'s content; empty when it can. Floating types convert.
[[nodiscard]] std::string mismatch(const std::string& name, const at::Tensor& tensor,
                                   const Array& array);
// Keeps the tensor's device, dtype and layout.
void assign(const at::Tensor& tensor, const Array& array);

}  // namespace ridgeline
