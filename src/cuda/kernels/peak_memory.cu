#include "cuda/kernels/peak_kernels.h"

namespace ridgeline::kernels {
namespace {

constexpr int kInFlight = 4;  // loads of a thread before the first use

__device__ std::uint32_t sum_of(uint4 word) { return word.x + word.y + word.z + word.w; }

// Past L1 (.cg): what a multiprocessor met in the last pass must not be met in its own cache.
__global__ void __launch_bounds__(kReadThreads) read_kernel(const ReadRun run) {
  const std::size_t thread = blockIdx.x * static_cast<std::size_t>(kReadThreads) + threadIdx.x;
  const std::size_t step = gridDim.x * static_cast<std::size_t>(kReadThreads);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < run.passes; ++pass) {
    std::size_t at = thread;
    for (; at + (kInFlight - 1) * step < run.words; at += kInFlight * step) {
      uint4 words[kInFlight];
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) words[i] = __ldcg(run.data + at + i * step);
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) sum += sum_of(words[i]);
    }
    for (; at < run.words; at += step) sum += sum_of(__ldcg(run.data + at));
  }
  run.out[thread] = sum;
}

__global__ void __launch_bounds__(kReadThreads)
    copy_kernel(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t words) {
  const std::size_t step = gridDim.x * static_cast<std::size_t>(kReadThreads);
  std::size_t at = blockIdx.x * static_cast<std::size_t>(kReadThreads) + threadIdx.x;
  for (; at + (kInFlight - 1) * step < words; at += kInFlight * step) {
    uint4 moved[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) moved[i] = __ldcs(from + at + i * step);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) __stcs(to + at + i * step, moved[i]);
  }
  for (; at < words; at += step) __stcs(to + at, __ldcs(from + at));
}

// Neighbouring threads read neighbouring words, so that no bank is asked twice; the place moves
// with every load, so that none can be saved.
__global__ void __launch_bounds__(kSharedThreads) shared_kernel(const SharedRun run) {
  __shared__ uint4 words[kSharedWords];
  for (unsigned i = threadIdx.x; i < kSharedWords; i += kSharedThreads)
    words[i] = make_uint4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
  __syncthreads();
  std::uint32_t sum = 0;
#pragma unroll 8
  for (int load = 0; load < run.loads; ++load)
    sum += sum_of(words[(threadIdx.x + static_cast<unsigned>(load) * 32U) % kSharedWords]);
  run.out[blockIdx.x * kSharedThreads + threadIdx.x] = sum;
}

}  // namespace

cudaError_t launch_read(const ReadRun& run, cudaStream_t stream) {
  if (run.blocks <= 0) return cudaErrorInvalidValue;
  read_kernel<<<static_cast<unsigned>(run.blocks), kReadThreads, 0, stream>>>(run);
  return cudaGetLastError();
}

cudaError_t launch_copy(uint4* to, const uint4* from, std::size_t words, int blocks,
                        cudaStream_t stream) {
  if (blocks <= 0) return cudaErrorInvalidValue;
  copy_kernel<<<static_cast<unsigned>(blocks), kReadThreads, 0, stream>>>(to, from, words);
  return cudaGetLastError();
}

cudaError_t launch_shared_read(const SharedRun& run, cudaStream_t stream) {
  if (run.blocks <= 0) return cudaErrorInvalidValue;
  shared_kernel<<<static_cast<unsigned>(run.blocks), kSharedThreads, 0, stream>>>(run);
  return cudaGetLastError();
}

cudaError_t shared_blocks_per_multiprocessor(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, shared_kernel, kSharedThreads, 0);
}

}  // namespace ridgeline::kernels
