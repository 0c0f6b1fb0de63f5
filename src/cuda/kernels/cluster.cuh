#pragma once

#include <cstdint>

#include <cooperative_groups.h>

#include "cuda/kernels/accumulate.cuh"

// A thread-block cluster owns a slab of channels: its blocks share out the rows and merge their
// sums through each other's shared memory. Compute capability 9.0 and later.
namespace ridgeline::kernels {

constexpr int kClusterThreads = 512;
constexpr int kSlabLanes = 2;       // 32 bytes, a whole sector of L2
constexpr int kPortableBlocks = 8;  // every cluster-capable device schedules this many

// Blocks in a cluster: enough that a thread has about two rows, at most the portable limit.
inline unsigned blocks_of_cluster(std::int64_t rows) {
  unsigned blocks = 1;
  const std::int64_t rows_of_block = kClusterThreads / kSlabLanes;
  while (blocks < kPortableBlocks && rows > 2 * rows_of_block * blocks) blocks *= 2;
  return blocks;
}

template <class... Parameters, class... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), std::int64_t rows, std::int64_t vectors,
                            cudaStream_t stream, const Arguments&... arguments) {
  const unsigned blocks = blocks_of_cluster(rows);
  const auto slabs = static_cast<unsigned>((vectors + kSlabLanes - 1) / kSlabLanes);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(slabs * blocks);
  config.blockDim = dim3(kClusterThreads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// The calling thread's share of the matrix.
struct SlabWalk {
  unsigned rows;
  unsigned vectors;
  unsigned blocks;
  unsigned rank;

  __device__ __forceinline__ SlabWalk(unsigned all_rows, unsigned all_vectors)
      : rows(all_rows),
        vectors(all_vectors),
        blocks(cooperative_groups::this_cluster().num_blocks()),
        rank(cooperative_groups::this_cluster().block_rank()) {}
  __device__ __forceinline__ unsigned slab() const { return blockIdx.x / blocks; }
  __device__ __forceinline__ unsigned column() const {
    return slab() * kSlabLanes + threadIdx.x % kSlabLanes;
  }
  __device__ __forceinline__ bool active() const { return column() < vectors; }
  __device__ __forceinline__ unsigned first_row() const {
    return (rank * kClusterThreads + threadIdx.x) / kSlabLanes;
  }
  __device__ __forceinline__ unsigned stride() const {
    return blocks * (kClusterThreads / kSlabLanes);
  }
  __device__ __forceinline__ unsigned visits() const {
    const unsigned first = first_row();
    return active() && first < rows ? (rows - first + stride() - 1) / stride() : 0;
  }
};

// In shared memory, whose objects have no constructors: hence bare floats.
template <class Accumulator>
struct Exchange {
  float of_block[kSlabLanes][Accumulator::kFloats];
  float of_cluster[kSlabLanes][Accumulator::kFloats];

  // The cluster's sums for the calling thread's lane.
  __device__ __forceinline__ Accumulator total() const {
    return read(of_cluster[threadIdx.x % kSlabLanes]);
  }
  __device__ static __forceinline__ Accumulator read(const float* from) {
    Accumulator to;
#pragma unroll
    for (int k = 0; k < Accumulator::kFloats; ++k) to.f[k] = from[k];
    return to;
  }
  __device__ static __forceinline__ void write(float* to, const Accumulator& from) {
#pragma unroll
    for (int k = 0; k < Accumulator::kFloats; ++k) to[k] = from.f[k];
  }
};

// Leaves the cluster's merged sums in every block's `exchange`. The blocks go by rank, so that all
// of them compute the same bits. No block may end before all have read: the kernel's last statement
// is a cluster barrier.
template <class Accumulator>
__device__ __forceinline__ void merge_cluster(Accumulator& mine, unsigned blocks, float* shared,
                                              Exchange<Accumulator>& exchange) {
  auto cluster = cooperative_groups::this_cluster();
  reduce_block<kClusterThreads>(mine, kSlabLanes, shared);
  const unsigned lane = threadIdx.x;
  if (lane < kSlabLanes) exchange.write(exchange.of_block[lane], mine);
  cluster.sync();
  if (lane < kSlabLanes) {
    Accumulator total;
    for (unsigned rank = 0; rank < blocks; ++rank) {
      const auto* remote = cluster.map_shared_rank(&exchange, rank);
      total.merge(exchange.read(remote->of_block[lane]));
    }
    exchange.write(exchange.of_cluster[lane], total);
  }
  __syncthreads();
}

#endif

}  // namespace ridgeline::kernels
