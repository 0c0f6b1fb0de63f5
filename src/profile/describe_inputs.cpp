#include "profile/describe_inputs.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <cstdint>

namespace ridgeline {
namespace {

void describe(const at::Tensor& tensor, ShapeText& text) {
  if (!tensor.defined()) return text.other("");
  if (tensor.is_nested() || tensor.is_sparse()) return text.other("Tensor");
  text.tensor(tensor.sizes(), c10::toString(tensor.scalar_type()),
              static_cast<std::int64_t>(tensor.nbytes()));
}

// Strides, masks, flags: whole numbers and truth values. Lists that are longer have no value.
void describe_value(const c10::IValue& input, ShapeText& text) {
  const char* const type = input.isScalar() ? "Scalar" : "";
  if (input.isInt()) return text.value(type, input.toInt());
  if (input.isBool()) return text.value(type, input.toBool() ? 1 : 0);
  if (!input.isIntList() && !input.isBoolList()) return text.other(type);
  std::array<std::int64_t, 8> numbers{};
  const auto items = input.toListRef();
  if (items.size() > numbers.size()) return text.other(type);
  for (std::size_t i = 0; i < items.size(); ++i)
    numbers[i] = items[i].isBool() ? (items[i].toBool() ? 1 : 0) : items[i].toInt();
  text.values(type, {numbers.data(), items.size()});
}

}  // namespace

void describe(std::span<const c10::IValue> inputs, ShapeText& text, ValueDetail detail) {
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) {
      describe(input.toTensor(), text);
    } else if (input.isTensorList()) {
      text.open_list();
      for (const c10::IValue& item : input.toListRef()) describe(item.toTensor(), text);
      text.close_list();
    } else if (detail == ValueDetail::Values) {
      describe_value(input, text);
    } else {
      text.other(input.isScalar() ? "Scalar" : "");
    }
  }
}

}  // namespace ridgeline
