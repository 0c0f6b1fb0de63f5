#include "cuda/kernels/batch_norm_math.cuh"
#include "cuda/kernels/batch_norm_schedules.h"
#include "cuda/kernels/dispatch.cuh"
#include "cuda/kernels/last_block.cuh"

namespace ridgeline::kernels {
namespace {

// Two inputs and up to five values a channel in registers leave room for 768 threads, not 1024.
constexpr int kReduceThreads = 768;
constexpr int kReduceBatch = 2;
constexpr int kApplyThreads = 256;
constexpr int kApplyBlocks = 3;  // on a multiprocessor
constexpr int kApplyBatch = 2;

struct Inputs {
  const uint4* dy;
  const uint4* x;
  const std::uint8_t* mask;
  const float* weight;
  const float* bias;
  const float* mean;
  const float* invstd;
};

template <class T, Gate kGate>
__global__ void __launch_bounds__(kReduceThreads, 1)
    reduce_kernel(Inputs in, RowWalk walk, Meeting meeting, float* d_weight, float* d_bias) {
  constexpr int V = T::kVector;
  __shared__ float shared[kReductionFloats<Sums<V>, kReduceThreads>];
  const unsigned column = walk.column();

  Sums<V> sums;
  if (walk.active()) {
    Affine<V> affine;
    load_affine(in.mean, in.invstd, in.weight, in.bias, column * V, affine);
    visit_rows<kReduceBatch>(
        walk.first_row(), walk.rows, walk.stride(),
        [&](unsigned row) {
          const unsigned at = row * walk.vectors + column;
          BackwardVector held = {.dy = __ldg(in.dy + at), .x = __ldg(in.x + at), .bits = 0};
          if constexpr (kGate == Gate::Mask) held.bits = __ldg(in.mask + at);
          return held;
        },
        [&](unsigned, const BackwardVector& held) {
          accumulate_backward<T, kGate>(held, affine, sums);
        });
  }

  if (!merge_blocks<kReduceThreads, V>(sums, walk, meeting, shared)) return;
  if (threadIdx.x < walk.lanes() && walk.active()) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const unsigned channel = column * V + i;
      d_bias[channel] = sums.first(i);
      d_weight[channel] = sums.second(i) * in.invstd[channel];
    }
  }
}

template <class T, Gate kGate>
__global__ void __launch_bounds__(kApplyThreads, kApplyBlocks)
    apply_kernel(Inputs in, RowWalk walk, const float* d_weight, const float* d_bias, uint4* dx,
                 uint4* d_residual) {
  constexpr int V = T::kVector;
  if (!walk.active()) return;
  const unsigned column = walk.column();

  Affine<V> affine;
  load_affine(in.mean, in.invstd, in.weight, in.bias, column * V, affine);
  Pull<V> pull;
#pragma unroll
  for (int i = 0; i < V; ++i) {
    const unsigned channel = column * V + i;
    pull.set(i, affine.scale[i], in.invstd[channel], d_weight[channel], d_bias[channel],
             static_cast<float>(walk.rows));
  }

  // From the last row to the first: the reduction left the ends of dy and x in L2.
  const auto place = [&](unsigned row) { return (walk.rows - 1 - row) * walk.vectors + column; };
  visit_rows<kApplyBatch>(
      walk.first_row(), walk.rows, walk.stride(),
      [&](unsigned row) {
        const unsigned at = place(row);
        BackwardVector held = {.dy = __ldcs(in.dy + at), .x = __ldcs(in.x + at), .bits = 0};
        if constexpr (kGate == Gate::Mask) held.bits = __ldcs(in.mask + at);
        return held;
      },
      [&](unsigned row, const BackwardVector& held) {
        uint4 masked;
        dx[place(row)] = apply_backward<T, kGate>(held, affine, pull, masked);
        if constexpr (kGate == Gate::Mask) {
          if (d_residual != nullptr) d_residual[place(row)] = masked;
        }
      });
}

}  // namespace

cudaError_t streaming_backward(const BatchNormBackward& args, const BatchNormWorkspace& workspace,
                               const DeviceLimits& device, cudaStream_t stream) {
  const BatchNormShape& shape = args.shape;
  const std::int64_t vectors = shape.channels / elements_of_vector(shape.element);
  const auto processors = static_cast<unsigned>(device.multiprocessors);
  const WalkPlan reduce = plan_walk(shape.rows, vectors, kReduceThreads, processors, 1);
  const WalkPlan apply =
      plan_walk(shape.rows, vectors, kApplyThreads, processors * kApplyBlocks, 1);
  const Meeting meeting{workspace.partials, workspace.arrivals};
  const Inputs in{.dy = static_cast<const uint4*>(args.dy),
                  .x = static_cast<const uint4*>(args.x),
                  .mask = args.mask,
                  .weight = args.weight,
                  .bias = args.bias,
                  .mean = args.mean,
                  .invstd = args.invstd};
  return with_element(shape.element, [&]<class T>(T) {
    return with_gate(args.gate, [&]<class G>(G) {
      reduce_kernel<T, G::value><<<reduce.grid, kReduceThreads, 0, stream>>>(
          in, reduce.walk, meeting, args.d_weight, args.d_bias);
      if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
      apply_kernel<T, G::value><<<apply.grid, kApplyThreads, 0, stream>>>(
          in, apply.walk, args.d_weight, args.d_bias, static_cast<uint4*>(args.dx),
          static_cast<uint4*>(args.d_residual));
      return cudaGetLastError();
    });
  });
}

}  // namespace ridgeline::kernels
