#include "data/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ridgeline {
namespace {

// floor(2^32 * |sin(i + 1)|), as the RFC defines them.
constexpr std::array<std::uint32_t, 64> kSines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kTurns{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

template <std::size_t Round>
constexpr std::uint32_t mix(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (Round == 0) return d ^ (b & (c ^ d));
  // A sum, not an or: the parts share no bit, and the sum is a shorter chain of dependent steps.
  if constexpr (Round == 1) return (d & b) + (~d & c);
  if constexpr (Round == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

constexpr std::size_t word_of(std::size_t step) {
  constexpr std::array<std::size_t, 4> kFactor{1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kStart{0, 1, 5, 0};
  return (kStart[step / 16] + kFactor[step / 16] * step) % 16;
}

template <std::size_t Step>
void step(std::array<std::uint32_t, 4>& s, const std::byte* block) {
  // The roles of the four words turn by one every step; with the step a constant nothing moves.
  constexpr std::size_t kA = (64 - Step) % 4;
  auto& a = s[kA];
  const auto b = s[(kA + 1) % 4], c = s[(kA + 2) % 4], d = s[(kA + 3) % 4];
  std::uint32_t word = 0;
  std::memcpy(&word, block + 4 * word_of(Step), sizeof word);
  constexpr std::size_t kRound = Step / 16;
  a = b + std::rotl(a + word + kSines[Step] + mix<kRound>(b, c, d), kTurns[kRound][Step % 4]);
}

template <std::size_t... Steps>
void take_blocks(std::array<std::uint32_t, 4>& state, const std::byte* blocks, std::size_t count,
                 std::index_sequence<Steps...> /*unroll*/) {
  std::array<std::uint32_t, 4> sum = state;
  for (; count > 0; --count, blocks += 64) {
    std::array<std::uint32_t, 4> s = sum;
    (step<Steps>(s, blocks), ...);
    for (std::size_t i = 0; i < 4; ++i) sum[i] += s[i];
  }
  state = sum;
}

}  // namespace

void Md5::update(std::span<const std::byte> bytes) {
  constexpr auto kSteps = std::make_index_sequence<64>{};
  if (bytes.empty()) return;
  size_ += bytes.size();
  if (pending_size_ > 0) {
    const std::size_t taken = std::min(bytes.size(), kBlock - pending_size_);
    std::memcpy(pending_.data() + pending_size_, bytes.data(), taken);
    pending_size_ += taken;
    bytes = bytes.subspan(taken);
    if (pending_size_ < kBlock) return;
    take_blocks(state_, pending_.data(), 1, kSteps);
    pending_size_ = 0;
  }
  take_blocks(state_, bytes.data(), bytes.size() / kBlock, kSteps);
  bytes = bytes.subspan(bytes.size() / kBlock * kBlock);
  std::ranges::copy(bytes, pending_.begin());
  pending_size_ = bytes.size();
}

std::string Md5::hex() {
  const std::uint64_t bits = size_ * 8;
  constexpr std::array<std::byte, kBlock> kPadding{std::byte{0x80}};
  const std::size_t padding = (pending_size_ < 56 ? 56 : 120) - pending_size_;
  update(std::span(kPadding).first(padding));
  update(std::as_bytes(std::span(&bits, 1)));
  std::string text;
  for (const std::byte byte : std::as_bytes(std::span(state_))) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string md5_hex(std::span<const std::byte> bytes) {
  Md5 md5;
  md5.update(bytes);
  return md5.hex();
}

}  // namespace ridgeline
