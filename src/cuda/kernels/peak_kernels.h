#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace ridgeline::kernels {

// Kernels that do nothing but what is to be measured. What they compute is stored, so that no
// compiler leaves it out, and is checked against the host. Asynchronous on `stream`.

enum class FmaFormat { Fp32, Fp64, Fp16x2, Bf16x2 };

inline constexpr int kFmaThreads = 256;      // of a block
inline constexpr int kFmaChains = 16;        // independent ones of a thread
inline constexpr int kFmaRoundsAtOnce = 16;  // rounds are a multiple of it

// A value of a chain starts at 1 + chain / 64 and becomes fma(value, factor, addend), `rounds`
// times. Each thread stores the sum of its chains, halves of a pair added, as float.
struct FmaRun {
  FmaFormat format = FmaFormat::Fp32;
  int blocks = 0;
  int rounds = 0;
  float factor = 0.75F;
  float addend = 0.3F;   // a chain tends to addend / (1 - factor)
  float* out = nullptr;  // blocks * kFmaThreads
};
[[nodiscard]] cudaError_t launch_fma(const FmaRun& run, cudaStream_t stream);
// FLOPs of a run.
[[nodiscard]] double flop_of(const FmaRun& run);
// As many blocks as run at once on a multiprocessor.
[[nodiscard]] cudaError_t fma_blocks_per_multiprocessor(FmaFormat format, int* blocks);

inline constexpr int kReadThreads = 256;

// Reads `words` 16-byte words `passes` times past L1; each thread stores the sum of the four
// 32-bit parts of all it read.
struct ReadRun {
  const uint4* data = nullptr;
  std::size_t words = 0;
  int passes = 1;
  int blocks = 0;
  std::uint32_t* out = nullptr;  // blocks * kReadThreads
};
[[nodiscard]] cudaError_t launch_read(const ReadRun& run, cudaStream_t stream);
[[nodiscard]] cudaError_t launch_copy(uint4* to, const uint4* from, std::size_t words, int blocks,
                                      cudaStream_t stream);

// Each block fills its shared memory with words 0, 1, 2 ... and every thread reads `loads` 16-byte
// words of it; out as above.
inline constexpr int kSharedThreads = 512;
inline constexpr int kSharedWords = 2048;  // of 16 bytes; 32 KiB
struct SharedRun {
  int loads = 0;  // a multiple of 8
  int blocks = 0;
  std::uint32_t* out = nullptr;  // blocks * kSharedThreads
};
[[nodiscard]] cudaError_t launch_shared_read(const SharedRun& run, cudaStream_t stream);
[[nodiscard]] cudaError_t shared_blocks_per_multiprocessor(int* blocks);

// Random numbers, near normal with deviation 1; of int8 all values alike.
enum class FillFormat { Fp64, Fp32, Fp16, Bf16, Fp8, Int8 };
[[nodiscard]] cudaError_t launch_fill(FillFormat format, void* data, std::size_t count,
                                      std::uint64_t seed, cudaStream_t stream);

}  // namespace ridgeline::kernels
