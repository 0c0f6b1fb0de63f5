#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/block_hash.h"

namespace ridgeline {

// RFC 1321. Tells a damaged file from a whole one; it is no defence against a forger.
class Md5 {
 public:
  void update(std::string_view bytes);
  // 32 hexadecimal digits, lower case. Ends the sum: nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  void take(const unsigned char* block);

  std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  BlockBuffer blocks_;
};

[[nodiscard]] std::string md5_of(std::span<const std::byte> bytes);

}  // namespace ridgeline
