#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "engine/ops.h"

namespace ridgeline {
namespace {

// Autocast would cast an input once for every product that reads it; casting here does it once.
at::Tensor in_compute_type(const at::Tensor& x) {
  const at::DeviceType device = x.device().type();
  if (!at::autocast::is_autocast_enabled(device)) return x;
  return x.to(at::autocast::get_autocast_dtype(device));
}

// ATen would divide by zero for the variance that moves the running one, and say nothing.
void require_a_variance(const at::Tensor& x) {
  if (x.numel() != x.size(1)) return;
  throw bad_input(fmt::format(
      "BatchNorm cannot train on one value a channel: its input is [{}]; a larger batch or larger "
      "images give it more",
      fmt::join(x.sizes().vec(), ", ")));
}

at::Tensor batch_norm(const at::Tensor& x, const BatchNormArgs& args, const at::Tensor* residual) {
  if (args.training) require_a_variance(x);
  const bool leave_statistics = args.training && !args.update_running;
  const auto running = [&](const at::Tensor& tensor) {
    return leave_statistics ? std::optional<at::Tensor>() : std::optional<at::Tensor>(tensor);
  };
  at::Tensor y = at::batch_norm(x, args.weight, args.bias, running(args.running_mean),
                                running(args.running_var), args.training, args.momentum, args.eps,
                                at::globalContext().userEnabledCuDNN());
  if (residual != nullptr) y.add_(*residual);
  return y;
}

at::Tensor batch_norm_relu(const at::Tensor& x, const BatchNormArgs& args,
                           const at::Tensor* residual) {
  return batch_norm(x, args, residual).relu_();
}

std::pair<at::Tensor, at::Tensor> add_rms_norm(const at::Tensor& stream, const at::Tensor* delta,
                                               const at::Tensor& weight, double eps) {
  at::Tensor sum = delta == nullptr ? stream : at::add(stream, *delta);
  at::Tensor normed = at::rms_norm(sum, weight.sizes(), weight, eps);
  return {std::move(sum), std::move(normed)};
}

// A pair (a, b) turned by an angle is the complex product (a + ib)(cos + i sin): one kernel where
// the real formula takes seven, and nothing but the table is kept for the backward.
at::Tensor rotate_interleaved(const at::Tensor& x, const at::Tensor& turn) {
  const at::Tensor pairs = x.to(at::kFloat).unflatten(-1, {-1, 2});
  return at::view_as_real(at::mul(at::view_as_complex(pairs), turn))
      .flatten(-2)
      .to(x.scalar_type());
}

at::Tensor rotate_half(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const at::Tensor wide = x.to(at::kFloat);
  const long half = x.size(-1) / 2;
  const at::Tensor a = wide.narrow(-1, 0, half);
  const at::Tensor b = wide.narrow(-1, half, half);
  const at::Tensor first = at::addcmul(at::mul(a, cos), b, sin, -1);
  const at::Tensor second = at::addcmul(at::mul(b, cos), a, sin);
  return at::cat({first, second}, -1).to(x.scalar_type());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> qkv_rope(const at::Tensor& x, const QkvArgs& args,
                                                        const RopeArgs& rope) {
  const at::Tensor input = in_compute_type(x);
  const auto project = [&](const at::Tensor& weight, const at::Tensor* bias, long heads) {
    const at::Tensor y =
        bias == nullptr ? at::linear(input, weight) : at::linear(input, weight, *bias);
    return y.unflatten(-1, {heads, -1});
  };
  at::Tensor q = project(args.q_weight, args.q_bias, args.num_heads);
  at::Tensor k = project(args.k_weight, args.k_bias, args.num_kv_heads);
  const at::Tensor v = project(args.v_weight, args.v_bias, args.num_kv_heads);
  // [context, 1, head_dim / 2]: one angle for all heads.
  const at::Tensor cos = rope.cos.unsqueeze(1);
  const at::Tensor sin = rope.sin.unsqueeze(1);
  if (rope.layout == RopeLayout::Interleaved) {
    const at::Tensor turn = at::complex(cos, sin);
    q = rotate_interleaved(q, turn);
    k = rotate_interleaved(k, turn);
  } else {
    q = rotate_half(q, cos, sin);
    k = rotate_half(k, cos, sin);
  }
  return {q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)};
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                          /*is_causal=*/true, /*scale=*/std::nullopt,
                                          /*enable_gqa=*/q.size(1) != k.size(1));
}

at::Tensor swiglu(const at::Tensor& x, const at::Tensor& gate_weight, const at::Tensor& up_weight) {
  const at::Tensor input = in_compute_type(x);
  const at::Tensor gate = at::silu(at::linear(input, gate_weight));
  return at::mul(gate, at::linear(input, up_weight));
}

// The loss is taken in fp32 whatever the products ran in: bf16 has too few bits for a sum over a
// vocabulary.
at::Tensor linear_cross_entropy(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& targets) {
  const at::Tensor logits = at::linear(x, weight).to(at::kFloat);
  return at::cross_entropy_loss(logits.flatten(0, -2), targets.flatten());
}

}  // namespace

Ops plain_ops() {
  return {.batch_norm = batch_norm,
          .batch_norm_relu = batch_norm_relu,
          .add_rms_norm = add_rms_norm,
          .qkv_rope = qkv_rope,
          .attention = attention,
          .swiglu = swiglu,
          .linear_cross_entropy = linear_cross_entropy};
}

}  // namespace ridgeline
