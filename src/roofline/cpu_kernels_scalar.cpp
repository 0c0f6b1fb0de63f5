#include <cmath>
#include <cstring>

#include "roofline/cpu_kernels.h"

// Compiled without vectorisation and, on x86, with -mfma: one number an instruction.
#if defined(__FMA__) || defined(__aarch64__)

namespace ridgeline {
namespace {

constexpr std::size_t kChains = 12;
constexpr std::size_t kSums = 8;

template <class Number>
void fma_chains(Number* values, Number factor, Number addend, std::uint64_t rounds) {
  Number v[kChains];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kChains; ++i) v[i] = values[i];
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kChains; ++i) v[i] = std::fma(v[i], factor, addend);
  }
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kChains; ++i) values[i] = v[i];
}

std::uint64_t sum_words(const std::byte* data, std::size_t bytes, std::uint64_t passes) {
  std::uint64_t sums[kSums] = {};
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t at = 0; at < bytes; at += sizeof sums) {
      const std::byte* const block = data + at;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kSums; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, block + i * sizeof word, sizeof word);
        sums[i] += word;
      }
    }
    asm volatile("" ::: "memory");  // the next pass reads again
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return total;
}

void copy(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

constexpr CpuKernels kKernels{.name = "scalar",
                              .chains32 = kChains,
                              .chains64 = kChains,
                              .fma32 = fma_chains<float>,
                              .fma64 = fma_chains<double>,
                              .sum_words = sum_words,
                              .stream_copy = copy};

}  // namespace

const CpuKernels* scalar_cpu_kernels() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) return nullptr;
#endif
  return &kKernels;
}

}  // namespace ridgeline

#else

namespace ridgeline {
const CpuKernels* scalar_cpu_kernels() { return nullptr; }
}  // namespace ridgeline

#endif
