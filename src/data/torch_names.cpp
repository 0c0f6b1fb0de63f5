#include "data/torch_names.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace ridgeline {
namespace {

struct TorchName {
  DType dtype;
  std::string_view storage;
  std::string_view name;
};

constexpr std::array kNames{
    TorchName{DType::U8, "torch.ByteStorage", "torch.uint8"},
    TorchName{DType::I8, "torch.CharStorage", "torch.int8"},
    TorchName{DType::I16, "torch.ShortStorage", "torch.int16"},
    TorchName{DType::I32, "torch.IntStorage", "torch.int32"},
    TorchName{DType::I64, "torch.LongStorage", "torch.int64"},
    TorchName{DType::F16, "torch.HalfStorage", "torch.float16"},
    TorchName{DType::BF16, "torch.BFloat16Storage", "torch.bfloat16"},
    TorchName{DType::F32, "torch.FloatStorage", "torch.float32"},
    TorchName{DType::F64, "torch.DoubleStorage", "torch.float64"},
    TorchName{DType::Bool, "torch.BoolStorage", "torch.bool"},
    TorchName{DType::U16, "", "torch.uint16"},
    TorchName{DType::U32, "", "torch.uint32"},
    TorchName{DType::U64, "", "torch.uint64"},
    TorchName{DType::F8E4M3, "", "torch.float8_e4m3fn"},
    TorchName{DType::F8E5M2, "", "torch.float8_e5m2"},
};

const TorchName& names_of(DType dtype) {
  const auto* const found = std::ranges::find(kNames, dtype, &TorchName::dtype);
  RIDGELINE_CHECK(found != kNames.end());
  return *found;
}

std::optional<DType> find(std::string_view name, std::string_view TorchName::*field) {
  const auto* const found = std::ranges::find(kNames, name, field);
  if (name.empty() || found == kNames.end()) return std::nullopt;
  return found->dtype;
}

}  // namespace

std::string_view torch_storage_of(DType dtype) { return names_of(dtype).storage; }
std::optional<DType> parse_torch_storage(std::string_view name) {
  return find(name, &TorchName::storage);
}
std::string_view torch_dtype_of(DType dtype) { return names_of(dtype).name; }
std::optional<DType> parse_torch_dtype(std::string_view name) {
  return find(name, &TorchName::name);
}

}  // namespace ridgeline
