#include "core/md5.h"

#include <algorithm>
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

constexpr std::size_t kAbreast = 3;

// The same word of three sums. In registers of their own: in the lanes of a vector each rotation is
// three operations that wait for each other, and three sums took as long as one after the other.
struct Three {
  std::array<std::uint32_t, kAbreast> of{};

  friend Three operator+(Three x, Three y) {
    return {{x.of[0] + y.of[0], x.of[1] + y.of[1], x.of[2] + y.of[2]}};
  }
  friend Three operator+(Three x, std::uint32_t y) {
    return {{x.of[0] + y, x.of[1] + y, x.of[2] + y}};
  }
  friend Three operator^(Three x, Three y) {
    return {{x.of[0] ^ y.of[0], x.of[1] ^ y.of[1], x.of[2] ^ y.of[2]}};
  }
  friend Three operator&(Three x, Three y) {
    return {{x.of[0] & y.of[0], x.of[1] & y.of[1], x.of[2] & y.of[2]}};
  }
  friend Three operator|(Three x, Three y) {
    return {{x.of[0] | y.of[0], x.of[1] | y.of[1], x.of[2] | y.of[2]}};
  }
  friend Three operator~(Three x) { return {{~x.of[0], ~x.of[1], ~x.of[2]}}; }
};

std::uint32_t rotated(std::uint32_t x, int bits) { return std::rotl(x, bits); }
Three rotated(Three x, int bits) {
  return {{std::rotl(x.of[0], bits), std::rotl(x.of[1], bits), std::rotl(x.of[2], bits)}};
}

// `known` and the round's mixture of the other three. The step before gives x last, so that as
// little as can be waits for it.
template <std::size_t kRound, class Word>
Word with_mixture(Word known, Word x, Word y, Word z) {
  if constexpr (kRound == 0) return known + (z ^ (x & (y ^ z)));
  if constexpr (kRound == 1) return (known + (y & ~z)) + (x & z);
  if constexpr (kRound == 2) return known + (x ^ (y ^ z));
  return known + (y ^ (x | ~z));
}

template <class Word>
using Sums = std::array<Word, 4>;
template <class Word>
using Block = std::array<Word, 16>;

// Round and step are constants in here, which makes it twice as fast as a loop over rounds.
template <std::size_t kRound, class Word>
void run_round(Sums<Word>& state, const Block<Word>& words) {
  constexpr std::array<std::size_t, 4> kStep{1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kStart{0, 1, 5, 0};
  auto [a, b, c, d] = state;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t word = (kStart[kRound] + kStep[kRound] * i) % 16;
    const Word known = a + (words[word] + kSines[16 * kRound + i]);
    const Word sum = with_mixture<kRound>(known, b, c, d);
    a = d;
    d = c;
    c = b;
    b = b + rotated(sum, kShifts[kRound][i % 4]);
  }
  state = {a, b, c, d};
}

template <class Word>
void add_block(Sums<Word>& state, const Block<Word>& words) {
  Sums<Word> mixed_state = state;
  run_round<0>(mixed_state, words);
  run_round<1>(mixed_state, words);
  run_round<2>(mixed_state, words);
  run_round<3>(mixed_state, words);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = state[i] + mixed_state[i];
}

using Bytes = std::span<const std::byte>;

const unsigned char* start_of(Bytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// What all of them have in whole blocks, side by side. Where there are fewer, the first is summed
// again.
Sums<Three> add_side_by_side(std::span<const Bytes> parts, std::size_t blocks) {
  std::array<const unsigned char*, kAbreast> next{};
  for (std::size_t i = 0; i < kAbreast; ++i) next[i] = start_of(parts[i < parts.size() ? i : 0]);
  Sums<Three> state{};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = state[i] + Md5::kStart[i];
  for (std::size_t block = 0; block < blocks; ++block) {
    Block<Three> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = {
          {read_word(next[0] + 4 * i), read_word(next[1] + 4 * i), read_word(next[2] + 4 * i)}};
    add_block(state, words);
    for (const unsigned char*& bytes : next) bytes += BlockBuffer::kBlock;
  }
  return state;
}

}  // namespace

void Md5::take(const unsigned char* block) {
  Block<std::uint32_t> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = read_word(block + 4 * i);
  add_block(state_, words);
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

std::vector<std::string> md5_of_each(std::span<const Bytes> parts) {
  if (parts.size() == 1) return {md5_of(parts[0])};
  std::vector<std::string> sums;
  while (!parts.empty()) {
    const auto some = parts.first(std::min(parts.size(), kAbreast));
    const std::size_t shared =
        std::ranges::min(some, {}, &Bytes::size).size() / BlockBuffer::kBlock;
    const Sums<Three> state = add_side_by_side(some, shared);
    const std::size_t done = shared * BlockBuffer::kBlock;
    for (std::size_t i = 0; i < some.size(); ++i) {
      Md5 sum({state[0].of[i], state[1].of[i], state[2].of[i], state[3].of[i]}, done);
      const Bytes rest = some[i].subspan(done);
      sum.update({reinterpret_cast<const char*>(rest.data()), rest.size()});
      sums.push_back(sum.finish());
    }
    parts = parts.subspan(some.size());
  }
  return sums;
}

}  // namespace ridgeline
