#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "cuda/kernels/peak_kernels.h"

namespace ridgeline::kernels {
namespace {

constexpr int kThreads = 256;

// The finaliser of SplitMix64, as in stats/random.h.
__device__ std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Four 16-bit uniforms, centred, have a variance of 4 / 12.
__device__ float near_normal(std::uint64_t bits) {
  float sum = 0.F;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += static_cast<float>((bits >> (16 * i)) & 0xffffU) / 65536.F;
  return (sum - 2.F) * 1.7320508F;
}

template <class T>
__device__ T element_of(std::uint64_t bits) {
  return static_cast<T>(near_normal(bits));
}
template <>
__device__ __half element_of<__half>(std::uint64_t bits) {
  return __float2half_rn(near_normal(bits));
}
template <>
__device__ __nv_bfloat16 element_of<__nv_bfloat16>(std::uint64_t bits) {
  return __float2bfloat16_rn(near_normal(bits));
}
template <>
__device__ std::int8_t element_of<std::int8_t>(std::uint64_t bits) {
  return static_cast<std::int8_t>(bits & 0xffU);
}

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, std::uint64_t seed) {
  const std::size_t step = gridDim.x * static_cast<std::size_t>(kThreads);
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x; i < count;
       i += step)
    data[i] = element_of<T>(mixed(mixed(seed) ^ i));
}

template <class T>
cudaError_t fill(void* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  constexpr unsigned kBlocks = 2048;
  fill_kernel<T><<<kBlocks, kThreads, 0, stream>>>(static_cast<T*>(data), count, seed);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_fill(FillFormat format, void* data, std::size_t count, std::uint64_t seed,
                        cudaStream_t stream) {
  switch (format) {
    case FillFormat::Fp64:
      return fill<double>(data, count, seed, stream);
    case FillFormat::Fp32:
      return fill<float>(data, count, seed, stream);
    case FillFormat::Fp16:
      return fill<__half>(data, count, seed, stream);
    case FillFormat::Bf16:
      return fill<__nv_bfloat16>(data, count, seed, stream);
    case FillFormat::Fp8:
      return fill<__nv_fp8_e4m3>(data, count, seed, stream);
    case FillFormat::Int8:
      return fill<std::int8_t>(data, count, seed, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace ridgeline::kernels
