#pragma once

#include <cstddef>
#include <cstdint>

namespace ridgeline {

// Plain pointers only: this header meets code compiled for one instruction set, and an inline
// function of a container compiled there could be the one the linker keeps for everybody.

// Loops that do nothing but what is to be measured, for one instruction set. What they compute is
// handed back, so that no compiler leaves them out, and is the same in all of them.
struct CpuKernels {
  const char* name;  // "scalar", "AVX2", "AVX-512"
  // Independent chains: more than latency times width of any CPU's FMA units.
  std::size_t chains32;
  std::size_t chains64;
  // Every value v of the chains becomes fma(v, factor, addend), `rounds` times.
  void (*fma32)(float* values, float factor, float addend, std::uint64_t rounds);
  void (*fma64)(double* values, double factor, double addend, std::uint64_t rounds);
  // The sum of all 64-bit words, `passes` times over, modulo 2^64. `bytes` is a multiple of
  // kReadBlock, `data` aligned to 64.
  std::uint64_t (*sum_words)(const std::byte* data, std::size_t bytes, std::uint64_t passes);
  // With stores that pass the caches by; sizes and alignments as above.
  void (*stream_copy)(std::byte* to, const std::byte* from, std::size_t bytes);
};

inline constexpr std::size_t kReadBlock = 1024;
inline constexpr std::size_t kMostChains = 256;

// Null where the CPU lacks the instructions or the build is for another architecture.
[[nodiscard]] const CpuKernels* scalar_cpu_kernels();
[[nodiscard]] const CpuKernels* avx2_cpu_kernels();
[[nodiscard]] const CpuKernels* avx512_cpu_kernels();

}  // namespace ridgeline
