#pragma once

#include <cstdint>
#include <string_view>

namespace ridgeline {

// The Castagnoli CRC, not zlib's.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

// As TFRecord stores it: rotated and offset, so that the CRC of bytes that hold CRCs stays strong.
[[nodiscard]] std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace ridgeline
