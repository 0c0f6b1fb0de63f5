#include "trace/json_scan.h"

// Compiled with -mavx2 -mbmi -mpclmul -mpopcnt, for this file only. See json_scan.h for what may be
// included.
#if defined(__AVX2__) && defined(__BMI__) && defined(__PCLMUL__) && defined(__POPCNT__)

#include <immintrin.h>

namespace ridgeline {
namespace {

std::uint64_t bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32U;
}

// 64 bytes of text, a bit for each.
struct Block {
  __m256i low;
  __m256i high;

  explicit Block(const char* at)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))) {}

  [[nodiscard]] std::uint64_t equal(char letter) const {
    const __m256i all = _mm256_set1_epi8(letter);
    return bits(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
  }
  // [ and { differ in one bit, and so do ] and }.
  [[nodiscard]] Block folded() const {
    Block result = *this;
    const __m256i fold = _mm256_set1_epi8(0x20);
    result.low = _mm256_or_si256(low, fold);
    result.high = _mm256_or_si256(high, fold);
    return result;
  }
};

// Bit i: whether an odd number of bits up to i are set. From an opening quote to before the closing
// one, that is.
std::uint64_t odd_before(std::uint64_t quotes) {
  const __m128i all = _mm_set1_epi8(-1);
  const __m128i product =
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)), all, 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

const char* container_end(const char* at, const char* end) {
  const char* const start = at;
  std::uint64_t in_string = 0;  // all bits, or none
  for (std::int64_t depth = 0; at < end; at += 64) {
    const Block block(at);
    const Block folded = block.folded();
    const std::uint64_t strings = odd_before(block.equal('"')) ^ in_string;
    const std::uint64_t opens = folded.equal('{') & ~strings;
    std::uint64_t closes = folded.equal('}') & ~strings;
    const std::uint64_t escapes = block.equal('\\');
    const std::int64_t all_closed = _mm_popcnt_u64(closes);
    if (all_closed >= depth) {
      // It may close here: where as many were closed as were opened before.
      for (std::int64_t closed = 1; closes != 0; ++closed, closes = _blsr_u64(closes)) {
        const std::uint64_t below = _blsmsk_u64(closes);
        if (depth + _mm_popcnt_u64(opens & below) != closed) continue;
        if ((escapes & below) != 0) return kScalarJsonScan.container_end(start, end);
        const char* const found = at + _tzcnt_u64(closes) + 1;
        return found <= end ? found : nullptr;
      }
    }
    if (escapes != 0) return kScalarJsonScan.container_end(start, end);
    depth += _mm_popcnt_u64(opens) - all_closed;
    in_string = (strings >> 63U) != 0 ? ~std::uint64_t{0} : 0;
  }
  return nullptr;
}

}  // namespace

const JsonScan kAvx2JsonScan{.name = "avx2", .container_end = container_end};

}  // namespace ridgeline

#else

namespace ridgeline {

const JsonScan kAvx2JsonScan{};

}  // namespace ridgeline

#endif
