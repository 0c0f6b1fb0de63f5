#include "core/md5.h"

#include <bit>

namespace ridgeline {
namespace {

constexpr std::array<std::uint32_t, 64> kSines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kShifts{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

std::uint32_t read_word(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[2]} << 16U |
         std::uint32_t{bytes[3]} << 24U;
}

template <std::size_t kRound>
std::uint32_t mixed(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if constexpr (kRound == 0) return z ^ (x & (y ^ z));
  if constexpr (kRound == 1) return y ^ (z & (x ^ y));
  if constexpr (kRound == 2) return x ^ y ^ z;
  return y ^ (x | ~z);
}

using State = std::array<std::uint32_t, 4>;
using Words = std::array<std::uint32_t, 16>;

// Round and step are constants in here, which makes it twice as fast as a loop over rounds.
template <std::size_t kRound>
void run_round(State& state, const Words& words) {
  constexpr std::array<std::size_t, 4> kStep{1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kStart{0, 1, 5, 0};
  auto [a, b, c, d] = state;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t word = (kStart[kRound] + kStep[kRound] * i) % 16;
    const std::uint32_t sum = a + mixed<kRound>(b, c, d) + words[word] + kSines[16 * kRound + i];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[kRound][i % 4]);
  }
  state = {a, b, c, d};
}

}  // namespace

void Md5::take(const unsigned char* block) {
  Words words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = read_word(block + 4 * i);
  State mixed_state = state_;
  run_round<0>(mixed_state, words);
  run_round<1>(mixed_state, words);
  run_round<2>(mixed_state, words);
  run_round<3>(mixed_state, words);
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += mixed_state[i];
}

void Md5::update(std::string_view bytes) {
  blocks_.update(bytes, [this](const unsigned char* block) { take(block); });
}

std::string Md5::finish() {
  blocks_.finish(
      [](std::uint64_t bits) {
        BlockBuffer::Length length{};
        for (unsigned char& byte : length) {
          byte = static_cast<unsigned char>(bits & 0xffU);
          bits >>= 8U;
        }
        return length;
      },
      [this](const unsigned char* block) { take(block); });
  std::string hex;
  for (const std::uint32_t word : state_) {
    for (unsigned shift = 0; shift < 32; shift += 8) append_hex(hex, word >> shift);
  }
  return hex;
}

std::string md5_of(std::span<const std::byte> bytes) {
  Md5 sum;
  sum.update({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return sum.finish();
}

}  // namespace ridgeline
