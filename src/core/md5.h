#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/block_hash.h"

namespace ridgeline {

// RFC 1321. Tells a damaged file from a whole one; it is no defence against a forger.
class Md5 {
 public:
  using State = std::array<std::uint32_t, 4>;
  static constexpr State kStart{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

  Md5() = default;
  // Goes on after whole blocks of so many bytes, which made this state.
  Md5(const State& state, std::uint64_t bytes) : state_(state) { blocks_.skip(bytes); }

  void update(std::string_view bytes);
  // 32 hexadecimal digits, lower case. Ends the sum: nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  void take(const unsigned char* block);

  State state_ = kStart;
  BlockBuffer blocks_;
};

[[nodiscard]] std::string md5_of(std::span<const std::byte> bytes);
// The sum of each. A step of MD5 waits for the one before it and leaves a core idle meanwhile:
// three sums side by side take hardly longer than one.
[[nodiscard]] std::vector<std::string> md5_of_each(
    std::span<const std::span<const std::byte>> parts);

}  // namespace ridgeline
