#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace ridgeline::kernels {

inline constexpr int kSweepThreads = 256;

// Reads `words` 16-byte words past L1 and writes nothing, so that L2 is left with clean lines only:
// what a writing kernel leaves is written back in the time, and at the cost, of the next one.
struct SweepRun {
  const uint4* data = nullptr;  // zeros
  std::size_t words = 0;
  int blocks = 0;
  std::uint32_t* out = nullptr;  // one number: gets what is not zero, that no compiler may drop it
};
[[nodiscard]] cudaError_t launch_sweep(const SweepRun& run, cudaStream_t stream);

}  // namespace ridgeline::kernels
