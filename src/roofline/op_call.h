#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// One input of a recorded op.
struct OpInput {
  enum class What { Absent, Tensor, TensorList, Value };
  What what = What::Absent;
  std::vector<std::int64_t> sizes{};  // of a tensor
  std::string type{};                 // of a tensor: "Float", "BFloat16", "Long"
  double list_elements{};             // of a list of tensors: of all together
  Bytes list_bytes{};
  std::vector<std::int64_t> numbers{};  // of a value: a number or truth value, or a list of them
  bool is_list = false;                 // a value that was a list, perhaps an empty one

  [[nodiscard]] bool is_tensor() const { return what == What::Tensor; }
  [[nodiscard]] double elements() const;  // of a tensor or a list of tensors
  [[nodiscard]] Bytes bytes() const;
};

// An op as it was called, which is all that its cost is worked out from.
struct OpCall {
  std::string name{};  // "aten::mm"
  std::vector<OpInput> inputs{};

  // Null where the op was not called with such an input.
  [[nodiscard]] const OpInput* tensor(std::size_t place) const;
  [[nodiscard]] std::optional<std::int64_t> number(std::size_t place) const;
  [[nodiscard]] const std::vector<std::int64_t>* list(std::size_t place) const;
  // "add_" and "_fused_adamw_" work in place.
  [[nodiscard]] bool in_place() const { return name.ends_with('_'); }
};

// `shape` is what a recording keeps of an op's inputs: a line of dimensions, one of types and,
// where values were recorded too, one of values, each a JSON list. Absent when it is not that.
[[nodiscard]] std::optional<OpCall> parse_op_call(std::string_view name, std::string_view shape);

// Bytes of a number of this type; 0 for one that is not known.
[[nodiscard]] double width_of(std::string_view type);
[[nodiscard]] bool is_floating(std::string_view type);

}  // namespace ridgeline
