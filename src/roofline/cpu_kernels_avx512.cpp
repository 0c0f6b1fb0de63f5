#include "roofline/cpu_kernels.h"

// Compiled with -mavx512f, for this file only. See cpu_kernels.h for what may be included.
#if defined(__AVX512F__)

#include <immintrin.h>

namespace ridgeline {
namespace {

constexpr std::size_t kChains = 16;
constexpr std::size_t kFloats = 16;
constexpr std::size_t kDoubles = 8;
constexpr std::size_t kSums = 8;
constexpr std::size_t kBytes = sizeof(__m512i);

void fma32(float* values, float factor, float addend, std::uint64_t rounds) {
  const __m512 f = _mm512_set1_ps(factor);
  const __m512 a = _mm512_set1_ps(addend);
  __m512 v[kChains];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) v[i] = _mm512_loadu_ps(values + i * kFloats);
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kChains; ++i) v[i] = _mm512_fmadd_ps(v[i], f, a);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) _mm512_storeu_ps(values + i * kFloats, v[i]);
}

void fma64(double* values, double factor, double addend, std::uint64_t rounds) {
  const __m512d f = _mm512_set1_pd(factor);
  const __m512d a = _mm512_set1_pd(addend);
  __m512d v[kChains];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) v[i] = _mm512_loadu_pd(values + i * kDoubles);
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kChains; ++i) v[i] = _mm512_fmadd_pd(v[i], f, a);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) _mm512_storeu_pd(values + i * kDoubles, v[i]);
}

std::uint64_t sum_words(const std::byte* data, std::size_t bytes, std::uint64_t passes) {
  __m512i sums[kSums];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = _mm512_setzero_si512();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t at = 0; at < bytes; at += kSums * kBytes) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kSums; ++i) {
        const auto* const word = reinterpret_cast<const __m512i*>(data + at + i * kBytes);
        sums[i] = _mm512_add_epi64(sums[i], _mm512_load_si512(word));
      }
    }
    asm volatile("" ::: "memory");  // the next pass reads again
  }
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kSums; ++i) sums[0] = _mm512_add_epi64(sums[0], sums[i]);
  alignas(64) std::uint64_t lanes[kDoubles];
  _mm512_store_si512(reinterpret_cast<__m512i*>(lanes), sums[0]);
  std::uint64_t total = 0;
  for (const std::uint64_t lane : lanes) total += lane;
  return total;
}

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4 * kBytes) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t place = at + i * kBytes;
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + place),
                          _mm512_load_si512(reinterpret_cast<const __m512i*>(from + place)));
    }
  }
  _mm_sfence();
}

constexpr CpuKernels kKernels{.name = "AVX-512",
                              .chains32 = kChains * kFloats,
                              .chains64 = kChains * kDoubles,
                              .fma32 = fma32,
                              .fma64 = fma64,
                              .sum_words = sum_words,
                              .stream_copy = stream_copy};

}  // namespace

const CpuKernels* avx512_cpu_kernels() {
  return __builtin_cpu_supports("avx512f") ? &kKernels : nullptr;
}

}  // namespace ridgeline

#else

namespace ridgeline {
const CpuKernels* avx512_cpu_kernels() { return nullptr; }
}  // namespace ridgeline

#endif
