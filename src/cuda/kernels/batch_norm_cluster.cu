#include "cuda/kernels/batch_norm_math.cuh"
#include "cuda/kernels/batch_norm_schedules.h"
#include "cuda/kernels/cluster.cuh"
#include "cuda/kernels/dispatch.cuh"
#include "cuda/kernels/row_walk.cuh"

// Statistics and application in one launch. The second reading of a block's rows comes from L1 or
// L2, which is why this is for small matrices only.
namespace ridgeline::kernels {
namespace {

struct ForwardPointers {
  const uint4* x;
  const uint4* residual;
  const float* weight;
  const float* bias;
  uint4* y;
  std::uint8_t* mask;
};

template <class T, bool kRelu, bool kResidual>
__global__ void __launch_bounds__(kClusterThreads)
    forward_kernel(ForwardPointers in, unsigned rows, unsigned vectors, StatisticsOut out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int V = T::kVector;
  __shared__ float shared[kReductionFloats<Moments<V>, kClusterThreads>];
  __shared__ Exchange<Moments<V>> exchange;
  const SlabWalk walk(rows, vectors);
  const unsigned first = walk.first_row();
  const unsigned column = walk.column();
  const unsigned stride = walk.stride();
  const unsigned visits = walk.visits();

  Moments<V> moments;
  if (visits > 0) {
    MomentsOfThread<T> mine(__ldg(in.x + first * vectors + column));
    visit_rows<4>(
        first, rows, stride, [&](unsigned row) { return __ldg(in.x + row * vectors + column); },
        [&](unsigned, const uint4& raw) { mine.add(raw); });
    moments = mine.result(visits);
  }
  merge_cluster(moments, walk.blocks, shared, exchange);

  if (walk.active()) {
    Moments<V> total = exchange.total();
    Affine<V> affine;
    load_floats(in.weight + column * V, affine.scale);
    load_floats(in.bias + column * V, affine.bias);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const ChannelStatistics found = statistics_of(total.mean(i), total.deviations(i), out);
      affine.mean[i] = found.mean;
      affine.scale[i] = __fmul_rn(affine.scale[i], found.invstd);
      if (walk.rank == 0 && threadIdx.x < kSlabLanes) {
        store_statistics(column * V + i, total.mean(i), total.deviations(i), out);
      }
    }
    visit_rows<kResidual ? 2 : 4>(
        first, rows, stride,
        [&](unsigned row) {
          const unsigned at = row * vectors + column;
          ForwardVector held = {.x = __ldg(in.x + at), .residual = {}};
          if constexpr (kResidual) held.residual = __ldg(in.residual + at);
          return held;
        },
        [&](unsigned row, const ForwardVector& held) {
          const unsigned at = row * vectors + column;
          unsigned bits;
          in.y[at] = apply_forward<T, kRelu, kResidual>(held, affine, bits);
          if constexpr (kRelu && kResidual) {
            if (in.mask != nullptr) in.mask[at] = static_cast<std::uint8_t>(bits);
          }
        });
  }
  cooperative_groups::this_cluster().sync();  // a block may still be reading our exchange
#endif
}

struct BackwardPointers {
  const uint4* dy;
  const uint4* x;
  const std::uint8_t* mask;
  const float* weight;
  const float* bias;
  const float* mean;
  const float* invstd;
  uint4* dx;
  uint4* d_residual;
  float* d_weight;
  float* d_bias;
};

template <class T, Gate kGate>
__global__ void __launch_bounds__(kClusterThreads)
    backward_kernel(BackwardPointers in, unsigned rows, unsigned vectors) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int V = T::kVector;
  __shared__ float shared[kReductionFloats<Sums<V>, kClusterThreads>];
  __shared__ Exchange<Sums<V>> exchange;
  const SlabWalk walk(rows, vectors);
  const unsigned first = walk.first_row();
  const unsigned column = walk.column();
  const unsigned stride = walk.stride();

  const auto load = [&](unsigned row) {
    const unsigned at = row * vectors + column;
    BackwardVector held = {.dy = __ldg(in.dy + at), .x = __ldg(in.x + at), .bits = 0};
    if constexpr (kGate == Gate::Mask) held.bits = __ldg(in.mask + at);
    return held;
  };

  Affine<V> affine = {};
  Sums<V> sums;
  if (walk.active()) {
    load_affine(in.mean, in.invstd, in.weight, in.bias, column * V, affine);
    visit_rows<2>(first, rows, stride, load, [&](unsigned, const BackwardVector& held) {
      accumulate_backward<T, kGate>(held, affine, sums);
    });
  }
  merge_cluster(sums, walk.blocks, shared, exchange);

  if (walk.active()) {
    Sums<V> total = exchange.total();
    Pull<V> pull;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const unsigned channel = column * V + i;
      const float invstd = in.invstd[channel];
      const float d_weight = total.second(i) * invstd;
      pull.set(i, affine.scale[i], invstd, d_weight, total.first(i), static_cast<float>(rows));
      if (walk.rank == 0 && threadIdx.x < kSlabLanes) {
        in.d_weight[channel] = d_weight;
        in.d_bias[channel] = total.first(i);
      }
    }
    visit_rows<2>(first, rows, stride, load, [&](unsigned row, const BackwardVector& held) {
      const unsigned at = row * vectors + column;
      uint4 masked;
      in.dx[at] = apply_backward<T, kGate>(held, affine, pull, masked);
      if constexpr (kGate == Gate::Mask) {
        if (in.d_residual != nullptr) in.d_residual[at] = masked;
      }
    });
  }
  cooperative_groups::this_cluster().sync();  // a block may still be reading our exchange
#endif
}

}  // namespace

cudaError_t cluster_forward(const BatchNormForward& args, cudaStream_t stream) {
  const BatchNormShape& shape = args.shape;
  const std::int64_t vectors = shape.channels / elements_of_vector(shape.element);
  const ForwardPointers in{.x = static_cast<const uint4*>(args.x),
                           .residual = static_cast<const uint4*>(args.residual),
                           .weight = args.weight,
                           .bias = args.bias,
                           .y = static_cast<uint4*>(args.y),
                           .mask = args.mask};
  const StatisticsOut out{.mean = args.mean,
                          .invstd = args.invstd,
                          .running_mean = args.running_mean,
                          .running_var = args.running_var,
                          .momentum = args.momentum,
                          .eps = args.eps,
                          .rows = static_cast<float>(shape.rows)};
  return with_element(shape.element, [&]<class T>(T) {
    return with_flags(args.relu, args.residual != nullptr, [&]<class R, class A>(R, A) {
      return launch_clusters(forward_kernel<T, R::value, A::value>, shape.rows, vectors, stream, in,
                             static_cast<unsigned>(shape.rows), static_cast<unsigned>(vectors),
                             out);
    });
  });
}

cudaError_t cluster_backward(const BatchNormBackward& args, cudaStream_t stream) {
  const BatchNormShape& shape = args.shape;
  const std::int64_t vectors = shape.channels / elements_of_vector(shape.element);
  const BackwardPointers in{.dy = static_cast<const uint4*>(args.dy),
                            .x = static_cast<const uint4*>(args.x),
                            .mask = args.mask,
                            .weight = args.weight,
                            .bias = args.bias,
                            .mean = args.mean,
                            .invstd = args.invstd,
                            .dx = static_cast<uint4*>(args.dx),
                            .d_residual = static_cast<uint4*>(args.d_residual),
                            .d_weight = args.d_weight,
                            .d_bias = args.d_bias};
  return with_element(shape.element, [&]<class T>(T) {
    return with_gate(args.gate, [&]<class G>(G) {
      return launch_clusters(backward_kernel<T, G::value>, shape.rows, vectors, stream, in,
                             static_cast<unsigned>(shape.rows), static_cast<unsigned>(vectors));
    });
  });
}

}  // namespace ridgeline::kernels
