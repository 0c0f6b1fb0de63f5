#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ridgeline {

// Element types that weight files hold.
enum class DType {
  U8,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64,
  Bool,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  // Carried as they are, computed with by nobody here.
  C64,
  F8E8M0,
  F6E2M3,
  F6E3M2,
  F4
};

[[nodiscard]] std::size_t bits_of(DType dtype);
// In bytes; of types below a byte this is 1, and only bits_of() tells how much many of them take.
[[nodiscard]] std::size_t size_of(DType dtype);
// The name safetensors uses: "F32", "BF16", "BOOL", ...
[[nodiscard]] std::string_view name_of(DType dtype);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

}  // namespace ridgeline
