#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/block_hash.h"

namespace ridgeline {

// FIPS 180-4.
class Sha256 {
 public:
  void update(std::string_view bytes);
  // 64 hexadecimal digits, lower case. Ends the sum: nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  void take(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  BlockBuffer blocks_;
};

}  // namespace ridgeline
