#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/dtype.h"
#include "data/safetensors.h"

namespace ridgeline {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes after the header
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // as they stand in the text
  Metadata metadata;
};

// The JSON of a header, field by field; whether the places make sense is for the reader to judge.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view text,
                                                         std::string_view source);

}  // namespace ridgeline
