#include "cuda/kernels/cache_sweep.h"

namespace ridgeline::kernels {
namespace {

constexpr int kInFlight = 4;  // loads of a thread before the first use

__global__ void __launch_bounds__(kSweepThreads) sweep_kernel(const SweepRun run) {
  const std::size_t step = gridDim.x * static_cast<std::size_t>(kSweepThreads);
  std::size_t at = blockIdx.x * static_cast<std::size_t>(kSweepThreads) + threadIdx.x;
  std::uint32_t seen = 0;
  for (; at + (kInFlight - 1) * step < run.words; at += kInFlight * step) {
    uint4 words[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) words[i] = __ldcg(run.data + at + i * step);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) seen |= words[i].x | words[i].y | words[i].z | words[i].w;
  }
  for (; at < run.words; at += step) seen |= __ldcg(run.data + at).x;
  if (seen != 0) *run.out = seen;
}

}  // namespace

cudaError_t launch_sweep(const SweepRun& run, cudaStream_t stream) {
  if (run.blocks <= 0) return cudaErrorInvalidValue;
  sweep_kernel<<<static_cast<unsigned>(run.blocks), kSweepThreads, 0, stream>>>(run);
  return cudaGetLastError();
}

}  // namespace ridgeline::kernels
