#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// 16 bytes of a tensor as floats and back: the unit in which every memory-bound kernel moves data.
namespace ridgeline::kernels {

struct Bf16 {
  static constexpr int kVector = 8;  // elements in 16 bytes
};
struct Fp16 {
  static constexpr int kVector = 8;
};
struct Fp32 {
  static constexpr int kVector = 4;
};

__device__ __forceinline__ void unpack(Bf16, const uint4& raw, float (&out)[8]) {
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = __uint_as_float(words[i] << 16);
    out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
  }
}

__device__ __forceinline__ unsigned bits_of(__nv_bfloat162 pair) {
  return *reinterpret_cast<unsigned*>(&pair);
}
__device__ __forceinline__ unsigned bits_of(__half2 pair) {
  return *reinterpret_cast<unsigned*>(&pair);
}

__device__ __forceinline__ uint4 pack(Bf16, const float (&in)[8]) {
  return {
      bits_of(__floats2bfloat162_rn(in[0], in[1])), bits_of(__floats2bfloat162_rn(in[2], in[3])),
      bits_of(__floats2bfloat162_rn(in[4], in[5])), bits_of(__floats2bfloat162_rn(in[6], in[7]))};
}

__device__ __forceinline__ void unpack(Fp16, const uint4& raw, float (&out)[8]) {
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(*reinterpret_cast<const __half2*>(&words[i]));
    out[2 * i] = pair.x;
    out[2 * i + 1] = pair.y;
  }
}

__device__ __forceinline__ uint4 pack(Fp16, const float (&in)[8]) {
  return {bits_of(__floats2half2_rn(in[0], in[1])), bits_of(__floats2half2_rn(in[2], in[3])),
          bits_of(__floats2half2_rn(in[4], in[5])), bits_of(__floats2half2_rn(in[6], in[7]))};
}

__device__ __forceinline__ void unpack(Fp32, const uint4& raw, float (&out)[4]) {
  out[0] = __uint_as_float(raw.x);
  out[1] = __uint_as_float(raw.y);
  out[2] = __uint_as_float(raw.z);
  out[3] = __uint_as_float(raw.w);
}

__device__ __forceinline__ uint4 pack(Fp32, const float (&in)[4]) {
  return {__float_as_uint(in[0]), __float_as_uint(in[1]), __float_as_uint(in[2]),
          __float_as_uint(in[3])};
}

// V consecutive floats of a per-channel vector, V a multiple of 4 and `from` 16-byte aligned.
template <int V>
__device__ __forceinline__ void load_floats(const float* from, float (&out)[V]) {
#pragma unroll
  for (int i = 0; i < V; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i);
    out[i] = four.x;
    out[i + 1] = four.y;
    out[i + 2] = four.z;
    out[i + 3] = four.w;
  }
}

template <int V>
__device__ __forceinline__ void store_floats(float* to, const float (&in)[V]) {
#pragma unroll
  for (int i = 0; i < V; i += 4) {
    *reinterpret_cast<float4*>(to + i) = {in[i], in[i + 1], in[i + 2], in[i + 3]};
  }
}

}  // namespace ridgeline::kernels
