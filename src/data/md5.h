#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ridgeline {

// MD5 (RFC 1321), because that is what data sets are published with: it finds damage, it does not
// stop a forger.
class Md5 {
 public:
  void update(std::span<const std::byte> bytes);
  // Of all that was given; the object is used up.
  [[nodiscard]] std::string hex();

 private:
  static constexpr std::size_t kBlock = 64;
  std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<std::byte, kBlock> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t size_ = 0;
};

[[nodiscard]] std::string md5_hex(std::span<const std::byte> bytes);

}  // namespace ridgeline
