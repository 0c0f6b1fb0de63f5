#include <cpuid.h>
#include <immintrin.h>

#include "core/sha256_block.h"

namespace ridgeline {
namespace {

constexpr unsigned kSse41 = 1U << 19U;  // leaf 1, ecx
constexpr unsigned kSsse3 = 1U << 9U;
constexpr unsigned kSha = 1U << 29U;  // leaf 7, ebx

}  // namespace

bool has_sha_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSse41) == 0 || (c & kSsse3) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

// The instructions want the state as two registers, ABEF and CDGH, and do two rounds each.
__attribute__((target("sha,sse4.1,ssse3"))) void take_sha256_block_fast(
    Sha256State& state, const unsigned char* block) {
  auto* const words = reinterpret_cast<__m128i*>(state.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  const __m128i abef_before = _mm_alignr_epi8(cdab, efgh, 8);
  const __m128i cdgh_before = _mm_blend_epi16(efgh, cdab, 0xf0);
  __m128i abef = abef_before;
  __m128i cdgh = cdgh_before;
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i message[4];
  const auto* const bytes = reinterpret_cast<const __m128i*>(block);
  const auto* const roots = reinterpret_cast<const __m128i*>(kSha256Roots.data());
#pragma GCC unroll 16  // keeps `message` in registers
  for (int group = 0; group < 16; ++group) {
    __m128i& now = message[group % 4];
    if (group < 4) {
      now = _mm_shuffle_epi8(_mm_loadu_si128(bytes + group), swap);
    } else {
      const __m128i last = message[(group + 3) % 4];
      const __m128i seven_back = _mm_alignr_epi8(last, message[(group + 2) % 4], 4);
      const __m128i partial = _mm_sha256msg1_epu32(now, message[(group + 1) % 4]);
      now = _mm_sha256msg2_epu32(_mm_add_epi32(partial, seven_back), last);
    }
    const __m128i keyed = _mm_add_epi32(now, _mm_loadu_si128(roots + group));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, keyed);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(keyed, 0x0e));
  }
  const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace ridgeline
