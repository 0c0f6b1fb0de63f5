#pragma once

#include <cstdint>

#include "cuda/kernels/accumulate.cuh"
#include "cuda/kernels/batch_norm.h"
#include "cuda/kernels/elements.cuh"

// What BatchNorm does to 16 bytes and to a channel; the schedules differ only in who does it when.
namespace ridgeline::kernels {

// What a thread holds of one place of the matrix.
struct ForwardVector {
  uint4 x;
  uint4 residual;
};
struct BackwardVector {
  uint4 dy;
  uint4 x;
  unsigned bits;
};

// Shifted by the thread's own first row, so that the sums stay small whatever the mean is.
template <class T>
struct MomentsOfThread {
  static constexpr int V = T::kVector;
  float origin[V];
  float sum[V] = {};
  float squares[V] = {};

  __device__ __forceinline__ explicit MomentsOfThread(const uint4& first) {
    unpack(T{}, first, origin);
  }
  __device__ __forceinline__ void add(const uint4& raw) {
    float x[V];
    unpack(T{}, raw, x);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const float distance = x[i] - origin[i];
      sum[i] += distance;
      squares[i] = fmaf(distance, distance, squares[i]);
    }
  }
  __device__ __forceinline__ Moments<V> result(unsigned count) const {
    Moments<V> moments;
    if (count == 0) return moments;
    const float n = static_cast<float>(count);
    moments.count() = n;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const float offset = sum[i] / n;
      moments.mean(i) = origin[i] + offset;
      moments.deviations(i) = fmaxf(fmaf(-offset, sum[i], squares[i]), 0.F);
    }
    return moments;
  }
};

struct ChannelStatistics {
  float mean;
  float invstd;
};

// Where the forward leaves the statistics of the batch.
struct StatisticsOut {
  float* mean;
  float* invstd;
  float* running_mean;
  float* running_var;
  float momentum;
  float eps;
  float rows;
};

__device__ __forceinline__ ChannelStatistics statistics_of(float mean, float deviations,
                                                           const StatisticsOut& out) {
  return {mean, 1.F / sqrtf(deviations / out.rows + out.eps)};
}

__device__ __forceinline__ void store_statistics(unsigned channel, float mean, float deviations,
                                                 const StatisticsOut& out) {
  out.mean[channel] = mean;
  out.invstd[channel] = statistics_of(mean, deviations, out).invstd;
  if (out.running_mean != nullptr) {
    const float keep = 1.F - out.momentum;
    const float unbiased = deviations / fmaxf(out.rows - 1.F, 1.F);
    out.running_mean[channel] = keep * out.running_mean[channel] + out.momentum * mean;
    out.running_var[channel] = keep * out.running_var[channel] + out.momentum * unbiased;
  }
}

// (x - mean) * scale + bias, one definition for the forward and for the backward that asks again
// which elements were positive.
template <int V>
struct Affine {
  float mean[V];
  float scale[V];
  float bias[V];

  __device__ __forceinline__ float operator()(int i, float x) const {
    return fmaf(__fsub_rn(x, mean[i]), scale[i], bias[i]);
  }
};

__device__ __forceinline__ bool stopped(float before_relu) {
  return before_relu <= 0.F;
}  // not NaN

template <class T, bool kRelu, bool kResidual>
__device__ __forceinline__ uint4 apply_forward(const ForwardVector& in,
                                               const Affine<T::kVector>& affine, unsigned& bits) {
  constexpr int V = T::kVector;
  float x[V];
  unpack(T{}, in.x, x);
  float added[V] = {};
  if constexpr (kResidual) unpack(T{}, in.residual, added);
  bits = 0;
#pragma unroll
  for (int i = 0; i < V; ++i) {
    float y = affine(i, x[i]);
    if constexpr (kResidual) y += added[i];
    if constexpr (kRelu) {
      bits |= stopped(y) ? 0U : 1U << i;
      y = stopped(y) ? 0.F : y;
    }
    x[i] = y;
  }
  return pack(T{}, x);
}

// The gradient behind the ReLU.
template <class T, Gate kGate>
__device__ __forceinline__ void gated(const BackwardVector& in, const float (&x)[T::kVector],
                                      const Affine<T::kVector>& affine, float (&g)[T::kVector]) {
  unpack(T{}, in.dy, g);
#pragma unroll
  for (int i = 0; i < T::kVector; ++i) {
    if constexpr (kGate == Gate::Mask) g[i] = (in.bits >> i & 1U) != 0 ? g[i] : 0.F;
    if constexpr (kGate == Gate::Recompute) g[i] = stopped(affine(i, x[i])) ? 0.F : g[i];
  }
}

// first: sum of g, second: sum of g * (x - mean).
template <class T, Gate kGate>
__device__ __forceinline__ void accumulate_backward(const BackwardVector& in,
                                                    const Affine<T::kVector>& affine,
                                                    Sums<T::kVector>& sums) {
  constexpr int V = T::kVector;
  float x[V];
  float g[V];
  unpack(T{}, in.x, x);
  gated<T, kGate>(in, x, affine, g);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    sums.first(i) += g[i];
    sums.second(i) = fmaf(g[i], x[i] - affine.mean[i], sums.second(i));
  }
}

// dx = scale * g + slope * (x - mean) + level, the two last constant over a channel.
template <int V>
struct Pull {
  float slope[V];
  float level[V];

  // d_weight = invstd * sum of g * (x - mean); d_bias = sum of g
  __device__ __forceinline__ void set(int i, float scale, float invstd, float d_weight,
                                      float d_bias, float rows) {
    slope[i] = -scale * invstd * (d_weight / rows);
    level[i] = -scale * (d_bias / rows);
  }
};

template <class T, Gate kGate>
__device__ __forceinline__ uint4 apply_backward(const BackwardVector& in,
                                                const Affine<T::kVector>& affine,
                                                const Pull<T::kVector>& pull, uint4& masked_dy) {
  constexpr int V = T::kVector;
  float x[V];
  float g[V];
  unpack(T{}, in.x, x);
  gated<T, kGate>(in, x, affine, g);
  if constexpr (kGate == Gate::Mask) masked_dy = pack(T{}, g);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    const float centred = x[i] - affine.mean[i];
    x[i] = fmaf(affine.scale[i], g[i], fmaf(pull.slope[i], centred, pull.level[i]));
  }
  return pack(T{}, x);
}

template <int V>
__device__ __forceinline__ void load_affine(const float* mean, const float* invstd,
                                            const float* weight, const float* bias,
                                            unsigned channel, Affine<V>& affine) {
  float spread[V];
  load_floats(mean + channel, affine.mean);
  load_floats(invstd + channel, spread);
  load_floats(weight + channel, affine.scale);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    affine.scale[i] = __fmul_rn(affine.scale[i], spread[i]);
    affine.bias[i] = 0.F;
  }
  if (bias != nullptr) load_floats(bias + channel, affine.bias);
}

}  // namespace ridgeline::kernels
