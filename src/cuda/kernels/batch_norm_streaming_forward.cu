#include "cuda/kernels/batch_norm_math.cuh"
#include "cuda/kernels/batch_norm_schedules.h"
#include "cuda/kernels/dispatch.cuh"
#include "cuda/kernels/last_block.cuh"

namespace ridgeline::kernels {
namespace {

// One large block a multiprocessor: 64 KB of loads in flight, and few partials to merge at the end.
constexpr int kStatisticsThreads = 1024;
constexpr int kStatisticsBatch = 4;
constexpr int kApplyThreads = 256;
constexpr int kApplyBlocks = 4;  // on a multiprocessor

template <class T>
__global__ void __launch_bounds__(kStatisticsThreads, 1)
    statistics_kernel(const uint4* __restrict__ x, RowWalk walk, Meeting meeting,
                      StatisticsOut out) {
  constexpr int V = T::kVector;
  __shared__ float shared[kReductionFloats<Moments<V>, kStatisticsThreads>];

  const unsigned visits = walk.visits();
  Moments<V> moments;
  if (visits > 0) {
    const unsigned first = walk.first_row();
    const unsigned column = walk.column();
    MomentsOfThread<T> mine(__ldg(x + first * walk.vectors + column));
    visit_rows<kStatisticsBatch>(
        first, walk.rows, walk.stride(),
        [&](unsigned row) { return __ldg(x + row * walk.vectors + column); },
        [&](unsigned, const uint4& raw) { mine.add(raw); });
    moments = mine.result(visits);
  }

  if (!merge_blocks<kStatisticsThreads, V>(moments, walk, meeting, shared)) return;
  if (threadIdx.x < walk.lanes() && walk.active()) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      store_statistics(walk.column() * V + i, moments.mean(i), moments.deviations(i), out);
    }
  }
}

struct Applied {
  const uint4* x;
  const uint4* residual;
  const float* weight;
  const float* bias;
  const float* mean;
  const float* spread;  // invstd, or the variance
  bool spread_is_variance;
  float eps;
  uint4* y;
  std::uint8_t* mask;
};

template <class T, bool kRelu, bool kResidual>
__global__ void __launch_bounds__(kApplyThreads, kApplyBlocks)
    apply_kernel(Applied args, RowWalk walk) {
  constexpr int V = T::kVector;
  if (!walk.active()) return;
  const unsigned column = walk.column();

  Affine<V> affine;
  load_floats(args.mean + column * V, affine.mean);
  load_floats(args.spread + column * V, affine.scale);
  load_floats(args.bias + column * V, affine.bias);
  {
    float weight[V];
    load_floats(args.weight + column * V, weight);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const float invstd =
          args.spread_is_variance ? 1.F / sqrtf(affine.scale[i] + args.eps) : affine.scale[i];
      affine.scale[i] = __fmul_rn(weight[i], invstd);
    }
  }

  // From the last row to the first: the statistics pass left the end of x in L2.
  const auto place = [&](unsigned row) { return (walk.rows - 1 - row) * walk.vectors + column; };
  visit_rows<kResidual ? 2 : 4>(
      walk.first_row(), walk.rows, walk.stride(),
      [&](unsigned row) {
        ForwardVector in = {.x = __ldcs(args.x + place(row)), .residual = {}};
        if constexpr (kResidual) in.residual = __ldcs(args.residual + place(row));
        return in;
      },
      [&](unsigned row, const ForwardVector& in) {
        unsigned bits;
        args.y[place(row)] = apply_forward<T, kRelu, kResidual>(in, affine, bits);
        if constexpr (kRelu && kResidual) {
          if (args.mask != nullptr) args.mask[place(row)] = static_cast<std::uint8_t>(bits);
        }
      });
}

cudaError_t launch_apply(const Applied& applied, const BatchNormShape& shape, bool relu,
                         const DeviceLimits& device, cudaStream_t stream) {
  const int vector = elements_of_vector(shape.element);
  const WalkPlan plan = plan_walk(shape.rows, shape.channels / vector, kApplyThreads,
                                  static_cast<unsigned>(device.multiprocessors * kApplyBlocks), 1);
  return with_element(shape.element, [&]<class T>(T) {
    return with_flags(relu, applied.residual != nullptr, [&]<class R, class A>(R, A) {
      apply_kernel<T, R::value, A::value>
          <<<plan.grid, kApplyThreads, 0, stream>>>(applied, plan.walk);
      return cudaGetLastError();
    });
  });
}

}  // namespace

cudaError_t streaming_forward(const BatchNormForward& args, const BatchNormWorkspace& workspace,
                              const DeviceLimits& device, cudaStream_t stream) {
  const BatchNormShape& shape = args.shape;
  const WalkPlan plan =
      plan_walk(shape.rows, shape.channels / elements_of_vector(shape.element), kStatisticsThreads,
                static_cast<unsigned>(device.multiprocessors), 1);
  const Meeting meeting{workspace.partials, workspace.arrivals};
  const StatisticsOut out{.mean = args.mean,
                          .invstd = args.invstd,
                          .running_mean = args.running_mean,
                          .running_var = args.running_var,
                          .momentum = args.momentum,
                          .eps = args.eps,
                          .rows = static_cast<float>(shape.rows)};
  const cudaError_t launched = with_element(shape.element, [&]<class T>(T) {
    statistics_kernel<T><<<plan.grid, kStatisticsThreads, 0, stream>>>(
        static_cast<const uint4*>(args.x), plan.walk, meeting, out);
    return cudaGetLastError();
  });
  if (launched != cudaSuccess) return launched;
  const Applied applied{.x = static_cast<const uint4*>(args.x),
                        .residual = static_cast<const uint4*>(args.residual),
                        .weight = args.weight,
                        .bias = args.bias,
                        .mean = args.mean,
                        .spread = args.invstd,
                        .spread_is_variance = false,
                        .eps = args.eps,
                        .y = static_cast<uint4*>(args.y),
                        .mask = args.mask};
  return launch_apply(applied, shape, args.relu, device, stream);
}

cudaError_t streaming_inference(const BatchNormInference& args, const DeviceLimits& device,
                                cudaStream_t stream) {
  const Applied applied{.x = static_cast<const uint4*>(args.x),
                        .residual = static_cast<const uint4*>(args.residual),
                        .weight = args.weight,
                        .bias = args.bias,
                        .mean = args.mean,
                        .spread = args.variance,
                        .spread_is_variance = true,
                        .eps = args.eps,
                        .y = static_cast<uint4*>(args.y),
                        .mask = nullptr};
  return launch_apply(applied, args.shape, args.relu, device, stream);
}

}  // namespace ridgeline::kernels
