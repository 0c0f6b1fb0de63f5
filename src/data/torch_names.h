#pragma once

#include <optional>
#include <string_view>

#include "data/dtype.h"

namespace ridgeline {

// "torch.FloatStorage" for F32; empty for the types that torch writes as bytes with a dtype beside.
[[nodiscard]] std::string_view torch_storage_of(DType dtype);
[[nodiscard]] std::optional<DType> parse_torch_storage(std::string_view name);
inline constexpr std::string_view kUntypedStorage = "torch.storage.UntypedStorage";

// "torch.float32"
[[nodiscard]] std::string_view torch_dtype_of(DType dtype);
[[nodiscard]] std::optional<DType> parse_torch_dtype(std::string_view name);

}  // namespace ridgeline
