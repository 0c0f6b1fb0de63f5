#pragma once

#include <optional>
#include <string_view>

#include "trace/op_kind.h"

namespace ridgeline {

// Of an op of PyTorch's by its whole name ("aten::expand_as", "aten::add_.Tensor",
// "aten::_softmax_backward_data") or of its node of autograd ("AddmmBackward0"): parts of names
// lie, for "expand" begins as "exp" does. Absent: no op of PyTorch's, or one that the table lacks.
[[nodiscard]] std::optional<OpKind> kind_of_aten(std::string_view name);

// A node of autograd, or what its engine writes around one: a backward runs.
[[nodiscard]] bool is_autograd_node(std::string_view name);

// Of a kernel that Inductor wrote ("triton_poi_fused_add_relu_3"), which its name's first part
// tells: what was fused into it is named there too, and may be of any kind. Absent: none.
[[nodiscard]] std::optional<OpKind> kind_of_inductor(std::string_view name);

}  // namespace ridgeline
