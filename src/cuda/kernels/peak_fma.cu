#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/kernels/peak_kernels.h"

namespace ridgeline::kernels {
namespace {

// A number format: how a chain starts, goes on, and what it adds to the sum.
template <class T>
struct Format;

template <>
struct Format<float> {
  static __device__ float make(float value) { return value; }
  static __device__ float next(float v, float f, float a) { return fmaf(v, f, a); }
  static __device__ float sum(float v) { return v; }
};

template <>
struct Format<double> {
  static __device__ double make(float value) { return value; }
  static __device__ double next(double v, double f, double a) { return fma(v, f, a); }
  static __device__ float sum(double v) { return static_cast<float>(v); }
};

template <>
struct Format<__half2> {
  static __device__ __half2 make(float value) { return __float2half2_rn(value); }
  static __device__ __half2 next(__half2 v, __half2 f, __half2 a) { return __hfma2(v, f, a); }
  static __device__ float sum(__half2 v) { return __low2float(v) + __high2float(v); }
};

template <>
struct Format<__nv_bfloat162> {
  static __device__ __nv_bfloat162 make(float value) { return __float2bfloat162_rn(value); }
  static __device__ __nv_bfloat162 next(__nv_bfloat162 v, __nv_bfloat162 f, __nv_bfloat162 a) {
    return __hfma2(v, f, a);
  }
  static __device__ float sum(__nv_bfloat162 v) { return __low2float(v) + __high2float(v); }
};

// The unrolled rounds make the loop's own instructions one in a hundred.
template <class T>
__global__ void __launch_bounds__(kFmaThreads) fma_kernel(const FmaRun run) {
  const T factor = Format<T>::make(run.factor);
  const T addend = Format<T>::make(run.addend);
  T v[kFmaChains];
#pragma unroll
  for (int i = 0; i < kFmaChains; ++i) v[i] = Format<T>::make(1.F + static_cast<float>(i) / 64.F);
#pragma unroll 1
  for (int round = 0; round < run.rounds; round += kFmaRoundsAtOnce) {
#pragma unroll
    for (int once = 0; once < kFmaRoundsAtOnce; ++once) {
#pragma unroll
      for (int i = 0; i < kFmaChains; ++i) v[i] = Format<T>::next(v[i], factor, addend);
    }
  }
  float sum = 0.F;
#pragma unroll
  for (int i = 0; i < kFmaChains; ++i) sum += Format<T>::sum(v[i]);
  run.out[blockIdx.x * kFmaThreads + threadIdx.x] = sum;
}

template <class Visit>
cudaError_t with_format(FmaFormat format, Visit&& visit) {
  switch (format) {
    case FmaFormat::Fp32:
      return visit(fma_kernel<float>);
    case FmaFormat::Fp64:
      return visit(fma_kernel<double>);
    case FmaFormat::Fp16x2:
      return visit(fma_kernel<__half2>);
    case FmaFormat::Bf16x2:
      return visit(fma_kernel<__nv_bfloat162>);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t launch_fma(const FmaRun& run, cudaStream_t stream) {
  if (run.blocks <= 0 || run.rounds % kFmaRoundsAtOnce != 0) return cudaErrorInvalidValue;
  return with_format(run.format, [&](auto* kernel) {
    kernel<<<static_cast<unsigned>(run.blocks), kFmaThreads, 0, stream>>>(run);
    return cudaGetLastError();
  });
}

double flop_of(const FmaRun& run) {
  const bool pairs = run.format == FmaFormat::Fp16x2 || run.format == FmaFormat::Bf16x2;
  return 2.0 * (pairs ? 2 : 1) * kFmaChains * kFmaThreads * static_cast<double>(run.rounds) *
         static_cast<double>(run.blocks);
}

cudaError_t fma_blocks_per_multiprocessor(FmaFormat format, int* blocks) {
  return with_format(format, [&](auto* kernel) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, kFmaThreads, 0);
  });
}

}  // namespace ridgeline::kernels
