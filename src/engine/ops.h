#pragma once

#include <tuple>
#include <utility>

#include "engine/tensors.h"

namespace ridgeline {

struct BatchNormArgs {
  const at::Tensor& weight;
  const at::Tensor& bias;
  at::Tensor& running_mean;
  at::Tensor& running_var;
  double momentum = 0.1;
  double eps = 1e-5;
  bool training = true;
  bool update_running = true;  // false while a checkpointed block is run again
};

enum class RopeLayout { Interleaved, Half };

// cos and sin are [context, head_dim / 2], fp32.
struct RopeArgs {
  const at::Tensor& cos;
  const at::Tensor& sin;
  RopeLayout layout = RopeLayout::Interleaved;
};

struct QkvArgs {
  const at::Tensor& q_weight;
  const at::Tensor& k_weight;
  const at::Tensor& v_weight;
  const at::Tensor* q_bias = nullptr;  // null: none
  const at::Tensor* k_bias = nullptr;
  const at::Tensor* v_bias = nullptr;
  long num_heads = 1;
  long num_kv_heads = 1;
};

// The seam for speed: what models call instead of single ATen ops, so that a fused kernel replaces
// a row here and no model changes. Every op is differentiable. plain_ops() defines what each means.
struct Ops {
  // batch_norm(x) + residual (null: none)
  at::Tensor (*batch_norm)(const at::Tensor& x, const BatchNormArgs&, const at::Tensor* residual);
  // relu(batch_norm(x) + residual)
  at::Tensor (*batch_norm_relu)(const at::Tensor& x, const BatchNormArgs&,
                                const at::Tensor* residual);
  // {stream + delta, rms_norm(stream + delta) * weight}; a null delta adds nothing
  std::pair<at::Tensor, at::Tensor> (*add_rms_norm)(const at::Tensor& stream,
                                                    const at::Tensor* delta,
                                                    const at::Tensor& weight, double eps);
  // x [batch, context, width] -> q, k, v as [batch, heads, context, head_dim], q and k rotated
  std::tuple<at::Tensor, at::Tensor, at::Tensor> (*qkv_rope)(const at::Tensor& x, const QkvArgs&,
                                                             const RopeArgs&);
  // causal softmax(q k^T / sqrt(d)) v with grouped keys; [batch, heads, context, head_dim]
  at::Tensor (*attention)(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);
  // silu(x gate^T) * (x up^T)
  at::Tensor (*swiglu)(const at::Tensor& x, const at::Tensor& gate_weight,
                       const at::Tensor& up_weight);
  // mean cross-entropy of x weight^T against targets
  at::Tensor (*linear_cross_entropy)(const at::Tensor& x, const at::Tensor& weight,
                                     const at::Tensor& targets);
};

[[nodiscard]] Ops plain_ops();

}  // namespace ridgeline
