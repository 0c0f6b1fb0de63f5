#pragma once

#include "cuda/kernels/accumulate.cuh"
#include "cuda/kernels/elements.cuh"
#include "cuda/kernels/row_walk.cuh"

// Merges what the blocks of a column found: each leaves its part in memory, the one that arrives
// last reads all parts in the order of the blocks. One launch instead of two, no atomics on floats.
namespace ridgeline::kernels {

struct Meeting {
  float* partials;     // [blocks of a column][kFloats per lane group][channels]
  unsigned* arrivals;  // one a column of blocks; zero before and after
};

// Accumulators cross memory as rows of V floats, one row a kind of value.
template <int V, class Accumulator>
__device__ __forceinline__ void leave_part(const Accumulator& mine, float* part, unsigned pitch,
                                           unsigned channel) {
  constexpr int kKinds = Accumulator::kFloats / V;
  constexpr int kSkip = Accumulator::kFloats % V;
#pragma unroll
  for (int kind = 0; kind < kKinds; ++kind) {
    float values[V];
#pragma unroll
    for (int i = 0; i < V; ++i) values[i] = mine.f[kSkip + kind * V + i];
    store_floats(part + kind * pitch + channel, values);
  }
}

template <int V, class Accumulator>
__device__ __forceinline__ void take_part(Accumulator& other, const float* part, unsigned pitch,
                                          unsigned channel) {
  constexpr int kKinds = Accumulator::kFloats / V;
  constexpr int kSkip = Accumulator::kFloats % V;
#pragma unroll
  for (int kind = 0; kind < kKinds; ++kind) {
#pragma unroll
    for (int i = 0; i < V; i += 4) {
      // Past the L1 cache: another multiprocessor wrote it.
      const float4 four =
          __ldcg(reinterpret_cast<const float4*>(part + kind * pitch + channel + i));
      other.f[kSkip + kind * V + i] = four.x;
      other.f[kSkip + kind * V + i + 1] = four.y;
      other.f[kSkip + kind * V + i + 2] = four.z;
      other.f[kSkip + kind * V + i + 3] = four.w;
    }
  }
}

// Rows that block `block` of a column visited: the count that goes with its moments.
__device__ __forceinline__ float rows_of(const RowWalk& walk, unsigned block) {
  const unsigned height = walk.rows_of_block();
  const unsigned whole = walk.rows / height;
  const unsigned turns = whole / gridDim.y + (block < whole % gridDim.y ? 1U : 0U);
  const unsigned rest = block == whole % gridDim.y ? walk.rows % height : 0U;
  return static_cast<float>(turns * height + rest);
}

template <int V>
__device__ __forceinline__ void set_count(Moments<V>& moments, float count) {
  moments.count() = count;
}
template <int V>
__device__ __forceinline__ void set_count(Sums<V>&, float) {}

// True in the block that holds the merged result (in its first `lanes` threads) afterwards.
template <int kThreads, int V, class Accumulator>
__device__ __forceinline__ bool merge_blocks(Accumulator& mine, const RowWalk& walk,
                                             const Meeting& meeting, float* shared) {
  __shared__ bool last;
  reduce_block<kThreads>(mine, walk.lanes(), shared);
  if (gridDim.y == 1) return true;

  const unsigned pitch = walk.vectors * V;
  const unsigned part_size = pitch * (Accumulator::kFloats / V);
  const unsigned channel = walk.column() * V;
  if (threadIdx.x < walk.lanes() && walk.active()) {
    leave_part<V>(mine, meeting.partials + blockIdx.y * part_size, pitch, channel);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    // Wraps to zero with the last arrival, ready for the next launch.
    last = atomicInc(meeting.arrivals + blockIdx.x, gridDim.y - 1) == gridDim.y - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return false;

  mine = Accumulator{};
  if (walk.active()) {
    for (unsigned b = threadIdx.x >> walk.lanes_log2; b < gridDim.y; b += walk.rows_of_block()) {
      Accumulator other;
      take_part<V>(other, meeting.partials + b * part_size, pitch, channel);
      set_count(other, rows_of(walk, b));
      mine.merge(other);
    }
  }
  reduce_block<kThreads>(mine, walk.lanes(), shared);
  return true;
}

}  // namespace ridgeline::kernels
