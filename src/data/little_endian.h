#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "core/error.h"

namespace ridgeline {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and mapped, not converted");

// The number at `offset`, which need not be aligned. The caller has checked that it is inside.
template <std::integral Number>
[[nodiscard]] Number load_number(std::span<const std::byte> bytes, std::size_t offset) {
  RIDGELINE_CHECK(offset <= bytes.size() && bytes.size() - offset >= sizeof(Number));
  Number number{};
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

template <std::integral Number>
void append_number(std::string& text, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  text.append(raw, sizeof raw);
}

}  // namespace ridgeline
