#include "core/sha256.h"

#include <bit>

#include "core/sha256_block.h"

namespace ridgeline {
namespace {

std::uint32_t read_word(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
         std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = read_word(block + 4 * i);
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t early = words[i - 15];
    const std::uint32_t late = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3U)) +
               words[i - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10U));
  }
  return words;
}

}  // namespace

void take_sha256_block(Sha256State& state, const unsigned char* block) {
  const auto words = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kSha256Roots[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state[i] += added[i];
}

void Sha256::take(const unsigned char* block) {
  static const bool fast = has_sha_instructions();
  if (fast) {
    take_sha256_block_fast(state_, block);
  } else {
    take_sha256_block(state_, block);
  }
}

void Sha256::update(std::string_view bytes) {
  blocks_.update(bytes, [this](const unsigned char* block) { take(block); });
}

std::string Sha256::finish() {
  blocks_.finish(
      [](std::uint64_t bits) {
        BlockBuffer::Length length{};
        for (std::size_t i = length.size(); i-- > 0; bits >>= 8U)
          length[i] = static_cast<unsigned char>(bits & 0xffU);
        return length;
      },
      [this](const unsigned char* block) { take(block); });
  std::string hex;
  for (const std::uint32_t word : state_) {
    for (unsigned shift = 32; shift > 0; shift -= 8) append_hex(hex, word >> (shift - 8));
  }
  return hex;
}

}  // namespace ridgeline
