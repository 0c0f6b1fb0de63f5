#include "train/arrays.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::array kTypes{
    std::pair{DType::U8, at::kByte},       std::pair{DType::I8, at::kChar},
    std::pair{DType::I16, at::kShort},     std::pair{DType::I32, at::kInt},
    std::pair{DType::I64, at::kLong},      std::pair{DType::F16, at::kHalf},
    std::pair{DType::BF16, at::kBFloat16}, std::pair{DType::F32, at::kFloat},
    std::pair{DType::F64, at::kDouble},    std::pair{DType::Bool, at::kBool},
};

DType dtype_of(at::ScalarType type) {
  for (const auto& [ours, torchs] : kTypes) {
    if (torchs == type) return ours;
  }
  throw Error(Fault::Internal, "a tensor of a type that no file of ours holds");
}

std::optional<at::ScalarType> torch_type_of(DType dtype) {
  for (const auto& [ours, torchs] : kTypes) {
    if (ours == dtype) return torchs;
  }
  return std::nullopt;
}

}  // namespace

Array to_array(const at::Tensor& tensor) {
  // A copy even on the CPU: the next step would change what is still being written.
  const auto held = std::make_shared<at::Tensor>(
      tensor.detach()
          .to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true)
          .contiguous());
  return {.dtype = dtype_of(held->scalar_type()),
          .shape = held->sizes().vec(),
          .bytes = {static_cast<const std::byte*>(held->const_data_ptr()), held->nbytes()},
          .owner = held};
}

Value to_dict(const NamedTensors& tensors) {
  Dict dict;
  for (const auto& [name, tensor] : tensors) dict.emplace_back(name, Value{to_array(tensor)});
  return {std::move(dict)};
}

at::Tensor to_tensor(const Array& array) {
  const auto type = torch_type_of(array.dtype);
  RIDGELINE_CHECK(type.has_value());
  // from_blob wants a pointer to change through; whoever gets the view only reads.
  auto* const bytes = const_cast<std::byte*>(array.bytes.data());
  return at::from_blob(bytes, array.shape, at::TensorOptions().dtype(*type));
}

std::string mismatch(const std::string& name, const at::Tensor& tensor, const Array& array) {
  if (tensor.sizes() != at::IntArrayRef(array.shape))
    return fmt::format("'{}' has the shape [{}] in the file, [{}] in the model", name,
                       fmt::join(array.shape, ", "), fmt::join(tensor.sizes().vec(), ", "));
  const auto type = torch_type_of(array.dtype);
  if (!type || at::isFloatingType(*type) != tensor.is_floating_point())
    return fmt::format("'{}' is of type {} in the file", name, name_of(array.dtype));
  return {};
}

void assign(const at::Tensor& tensor, const Array& array) {
  const at::NoGradGuard no_grad;
  tensor.copy_(to_tensor(array));
}

}  // namespace ridgeline
