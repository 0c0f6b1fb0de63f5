#pragma once

// Per-channel sums of a thread, and their merge over a block in an order that never changes, so
// that the same input gives the same bits.
namespace ridgeline::kernels {

// Count, mean and sum of squared deviations of V channels, merged by Chan's formula: sums of
// squares would cancel where the mean is large beside the spread.
template <int V>
struct Moments {
  static constexpr int kFloats = 1 + 2 * V;
  float f[kFloats] = {};

  __device__ __forceinline__ float& count() { return f[0]; }
  __device__ __forceinline__ float& mean(int i) { return f[1 + i]; }
  __device__ __forceinline__ float& deviations(int i) { return f[1 + V + i]; }

  __device__ __forceinline__ void merge(const Moments& other) {
    const float total = f[0] + other.f[0];
    const float share = total > 0.F ? other.f[0] / total : 0.F;
    const float weight = f[0] * share;
#pragma unroll
    for (int i = 1; i <= V; ++i) {
      const float distance = other.f[i] - f[i];
      f[i] = fmaf(distance, share, f[i]);
      f[V + i] += fmaf(distance * distance, weight, other.f[V + i]);
    }
    f[0] = total;
  }
};

// Two plain sums of V channels.
template <int V>
struct Sums {
  static constexpr int kFloats = 2 * V;
  float f[kFloats] = {};

  __device__ __forceinline__ float& first(int i) { return f[i]; }
  __device__ __forceinline__ float& second(int i) { return f[V + i]; }

  __device__ __forceinline__ void merge(const Sums& other) {
#pragma unroll
    for (int i = 0; i < kFloats; ++i) f[i] += other.f[i];
  }
};

// Room for the upper half of a block's warps.
template <class Accumulator, int kThreads>
inline constexpr int kReductionFloats = (kThreads / 32 + 1) / 2 * 32 * Accumulator::kFloats;

// Merges the threads of a block whose index is the same modulo `lanes` (a power of two up to 32).
// The result is with the first `lanes` threads. All threads must call it.
template <int kThreads, class Accumulator>
__device__ __forceinline__ void reduce_block(Accumulator& mine, unsigned lanes, float* shared) {
  for (unsigned offset = 16; offset >= lanes; offset >>= 1) {
    Accumulator other;
#pragma unroll
    for (int k = 0; k < Accumulator::kFloats; ++k) {
      other.f[k] = __shfl_down_sync(0xffffffffU, mine.f[k], offset);
    }
    mine.merge(other);
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int live = kThreads / 32; live > 1;) {
    const int half = (live + 1) / 2;
    if (warp >= half && warp < live) {
      float* slot = shared + (warp - half) * Accumulator::kFloats * 32 + lane;
#pragma unroll
      for (int k = 0; k < Accumulator::kFloats; ++k) slot[k * 32] = mine.f[k];
    }
    __syncthreads();
    if (warp < live - half) {
      const float* slot = shared + warp * Accumulator::kFloats * 32 + lane;
      Accumulator other;
#pragma unroll
      for (int k = 0; k < Accumulator::kFloats; ++k) other.f[k] = slot[k * 32];
      mine.merge(other);
    }
    __syncthreads();
    live = half;
  }
}

}  // namespace ridgeline::kernels
