#pragma once

#include <immintrin.h>

#include "roofline/cpu_kernels.h"

// The loops for any width of vectors. A source compiled for one instruction set includes this and
// says what its vectors are; all of it has internal linkage, so that no other source gets its code.
namespace ridgeline {
namespace {

constexpr std::size_t kSums = 8;
constexpr std::size_t kCopies = 4;

// `Lanes`: a vector of numbers with set, load, fma and store.
template <class Lanes, std::size_t kChains>
void fma_chains(typename Lanes::Number* values, typename Lanes::Number factor,
                typename Lanes::Number addend, std::uint64_t rounds) {
  const typename Lanes::Vector f = Lanes::set(factor);
  const typename Lanes::Vector a = Lanes::set(addend);
  typename Lanes::Vector v[kChains];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) v[i] = Lanes::load(values + i * Lanes::kWidth);
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kChains; ++i) v[i] = Lanes::fma(v[i], f, a);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) Lanes::store(values + i * Lanes::kWidth, v[i]);
}

// `Words`: a vector of 64-bit words with zero, add, load, store and stream.
template <class Words>
std::uint64_t sum_words(const std::byte* data, std::size_t bytes, std::uint64_t passes) {
  using Vector = typename Words::Vector;
  Vector sums[kSums];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = Words::zero();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t at = 0; at < bytes; at += kSums * sizeof(Vector)) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kSums; ++i)
        sums[i] = Words::add(sums[i], Words::load(data + at + i * sizeof(Vector)));
    }
    asm volatile("" ::: "memory");  // the next pass reads again
  }
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kSums; ++i) sums[0] = Words::add(sums[0], sums[i]);
  alignas(64) std::uint64_t lanes[sizeof(Vector) / sizeof(std::uint64_t)];
  Words::store(lanes, sums[0]);
  std::uint64_t total = 0;
  for (const std::uint64_t lane : lanes) total += lane;
  return total;
}

template <class Words>
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kBytes = sizeof(typename Words::Vector);
  for (std::size_t at = 0; at < bytes; at += kCopies * kBytes) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kCopies; ++i)
      Words::stream(to + at + i * kBytes, Words::load(from + at + i * kBytes));
  }
  _mm_sfence();
}

template <class Floats, class Doubles, class Words, std::size_t kChains>
constexpr CpuKernels vector_kernels(const char* name) {
  return {.name = name,
          .chains32 = kChains * Floats::kWidth,
          .chains64 = kChains * Doubles::kWidth,
          .fma32 = fma_chains<Floats, kChains>,
          .fma64 = fma_chains<Doubles, kChains>,
          .sum_words = sum_words<Words>,
          .stream_copy = stream_copy<Words>};
}

}  // namespace
}  // namespace ridgeline
