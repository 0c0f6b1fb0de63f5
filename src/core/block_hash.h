#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ridgeline {

// What MD5 and SHA-256 share: bytes are taken in blocks of 64, and the last is padded with a one
// bit, zeros and the length in bits.
class BlockBuffer {
 public:
  static constexpr std::size_t kBlock = 64;
  using Length = std::array<unsigned char, 8>;

  // Calls `take(const unsigned char*)` for every full block.
  template <class Take>
  void update(std::string_view bytes, Take&& take) {
    length_ += bytes.size();
    const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    while (left > 0) {
      if (held_ == 0 && left >= kBlock) {
        take(next);
        next += kBlock;
        left -= kBlock;
        continue;
      }
      const std::size_t part = left < kBlock - held_ ? left : kBlock - held_;
      std::memcpy(block_.data() + held_, next, part);
      held_ += part;
      next += part;
      left -= part;
      if (held_ < kBlock) return;
      take(block_.data());
      held_ = 0;
    }
  }

  // Whole blocks that were taken by others, before any update.
  void skip(std::uint64_t bytes) { length_ += bytes; }

  // `encode(bits)` gives the length in the byte order of the hash.
  template <class Encode, class Take>
  void finish(Encode&& encode, Take&& take) {
    const Length length = encode(length_ * 8);
    constexpr std::array<char, kBlock> kPadding{'\x80'};
    const std::size_t zeros_end = kBlock - length.size();
    const std::size_t padding = held_ < zeros_end ? zeros_end - held_ : zeros_end + kBlock - held_;
    update({kPadding.data(), padding}, take);
    update({reinterpret_cast<const char*>(length.data()), length.size()}, take);
  }

 private:
  std::array<unsigned char, kBlock> block_{};
  std::size_t held_ = 0;
  std::uint64_t length_ = 0;
};

// The lowest byte's two digits.
inline void append_hex(std::string& out, std::uint32_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += kDigits[(byte >> 4U) & 0xfU];
  out += kDigits[byte & 0xfU];
}

}  // namespace ridgeline
