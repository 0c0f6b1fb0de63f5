#include "trace/json_scan.h"

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ridgeline {
namespace {

// The first quote or backslash at or after `at`; it may lie in the padding or beyond `end`.
const char* find_quote_or_escape(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i escape = _mm_set1_epi8('\\');
  for (; at < end; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int hits = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, escape)));
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
  return end;
#else
  while (at < end && *at != '"' && *at != '\\') ++at;
  return at;
#endif
}

// The first quote or bracket at or after `at`, or `end`.
const char* find_bracket_or_quote(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i fold = _mm_set1_epi8(0x20);  // [ becomes {, ] becomes }
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const __m128i quote = _mm_set1_epi8('"');
  for (; at < end; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i folded = _mm_or_si128(block, fold);
    const __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
    const int hits = _mm_movemask_epi8(hit);
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
  return end;
#else
  while (at < end && *at != '"' && *at != '{' && *at != '}' && *at != '[' && *at != ']') ++at;
  return at;
#endif
}

const char* container_end(const char* at, const char* end) {
  for (std::int64_t depth = 0; at < end;) {
    at = find_bracket_or_quote(at, end);
    if (at >= end) break;
    if (*at == '"') {
      bool escaped = false;
      at = string_end(at + 1, end, escaped);
      if (at == nullptr) return nullptr;
      ++at;
      continue;
    }
    depth += *at == '{' || *at == '[' ? 1 : -1;
    ++at;
    if (depth == 0) return at;
  }
  return nullptr;
}

}  // namespace

const JsonScan kScalarJsonScan{.name = "scalar", .container_end = container_end};

const char* string_end(const char* at, const char* end, bool& escaped) {
  while (true) {
    at = find_quote_or_escape(at, end);
    if (at >= end) return nullptr;
    if (*at == '"') return at;
    escaped = true;
    at += 2;
  }
}

const JsonScan& json_scan() {
#if defined(__x86_64__)
  static const bool fast = kAvx2JsonScan.name != nullptr && __builtin_cpu_supports("avx2") != 0 &&
                           __builtin_cpu_supports("bmi") != 0 &&
                           __builtin_cpu_supports("pclmul") != 0 &&
                           __builtin_cpu_supports("popcnt") != 0;
  if (fast) return kAvx2JsonScan;
#endif
  return kScalarJsonScan;
}

}  // namespace ridgeline
