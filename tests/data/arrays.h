#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/array_view.h"
#include "data/value.h"

namespace ridgeline {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// An array of one type after the other, filled with a pattern that depends on `seed`.
inline Array patterned(DType dtype, std::vector<std::int64_t> shape, unsigned seed = 1) {
  std::string content(byte_count(dtype, shape).value(), '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>((i * 37 + seed * 11) % (dtype == DType::Bool ? 2 : 120));
  }
  return own_copy(dtype, std::move(shape), bytes_of(content));
}

inline constexpr int kDTypeCount = static_cast<int>(DType::F4) + 1;
// Those that torch files hold; the rest are of safetensors alone.
inline constexpr int kTorchDTypeCount = static_cast<int>(DType::F8E5M2) + 1;

inline bool same(const Array& a, const Array& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bytes.size() == b.bytes.size() &&
         (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

}  // namespace ridgeline
