#pragma once

#include <algorithm>
#include <cstdint>

// How a grid covers a row-major matrix of 16-byte vectors when every thread keeps its column: a
// block is `lanes` vectors wide, blockIdx.x picks the columns, and the blocks of one column take
// turns down the rows, so that the whole grid moves through memory together.
namespace ridgeline::kernels {

struct RowWalk {
  unsigned rows;
  unsigned vectors;  // of 16 bytes, in a row
  unsigned lanes_log2;

  __device__ __forceinline__ unsigned lanes() const { return 1U << lanes_log2; }
  __device__ __forceinline__ unsigned column() const {
    return (blockIdx.x << lanes_log2) + (threadIdx.x & (lanes() - 1));
  }
  __device__ __forceinline__ bool active() const { return column() < vectors; }
  __device__ __forceinline__ unsigned rows_of_block() const { return blockDim.x >> lanes_log2; }
  __device__ __forceinline__ unsigned first_row() const {
    return blockIdx.y * rows_of_block() + (threadIdx.x >> lanes_log2);
  }
  __device__ __forceinline__ unsigned stride() const { return gridDim.y * rows_of_block(); }
  // How many rows the calling thread visits.
  __device__ __forceinline__ unsigned visits() const {
    const unsigned first = first_row();
    return active() && first < rows ? (rows - first + stride() - 1) / stride() : 0;
  }
};

// Visits rows first, first + stride, ... : `load` for kBatch of them, all in flight together, then
// `use` for each.
template <unsigned kBatch, class Load, class Use>
__device__ __forceinline__ void visit_rows(unsigned first, unsigned rows, unsigned stride,
                                           Load&& load, Use&& use) {
  for (unsigned row = first; row < rows; row += kBatch * stride) {
    decltype(load(row)) held[kBatch];
#pragma unroll
    for (unsigned u = 0; u < kBatch; ++u) {
      if (row + u * stride < rows) held[u] = load(row + u * stride);
    }
#pragma unroll
    for (unsigned u = 0; u < kBatch; ++u) {
      if (row + u * stride < rows) use(row + u * stride, held[u]);
    }
  }
}

struct WalkPlan {
  RowWalk walk;
  dim3 grid;
};

inline unsigned log2_of_lanes(unsigned vectors) {
  unsigned log2 = 0;
  while (log2 < 5 && (1U << log2) < vectors) ++log2;
  return log2;
}

// Fills the device once with `blocks_wanted` blocks in all, fewer when there are not enough rows to
// give every thread `rows_each`.
inline WalkPlan plan_walk(std::int64_t rows, std::int64_t vectors, unsigned threads,
                          unsigned blocks_wanted, unsigned rows_each) {
  const auto width = static_cast<unsigned>(vectors);
  const unsigned log2 = log2_of_lanes(width);
  const unsigned tiles = (width + (1U << log2) - 1) >> log2;
  const std::int64_t block_rows = static_cast<std::int64_t>(threads >> log2) * rows_each;
  const auto useful = static_cast<unsigned>((rows + block_rows - 1) / block_rows);
  const unsigned deep = std::max(1U, std::min(useful, blocks_wanted / tiles));
  return {{static_cast<unsigned>(rows), width, log2}, dim3(tiles, deep)};
}

}  // namespace ridgeline::kernels
