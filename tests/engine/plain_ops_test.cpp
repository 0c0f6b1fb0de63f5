#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "engine/ops.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_close(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_TRUE(at::allclose(found, expected, 1e-5, 1e-6)) << (found - expected).abs().max();
}

struct Norm {
  at::Tensor weight = at::rand({3}) + 0.5;
  at::Tensor bias = at::randn({3});
  at::Tensor mean = at::randn({3});
  at::Tensor var = at::rand({3}) + 0.5;
  [[nodiscard]] BatchNormArgs args(bool training) {
    return {.weight = weight,
            .bias = bias,
            .running_mean = mean,
            .running_var = var,
            .training = training};
  }
};

at::Tensor per_channel(const at::Tensor& x) { return x.reshape({1, -1, 1, 1}); }

TEST(PlainOpsTest, BatchNormInTrainingUsesTheBatchAndMovesTheStatistics) {
  Norm norm;
  const at::Tensor x = at::randn({4, 3, 5, 5});
  const at::Tensor mean = x.mean({0, 2, 3});
  const at::Tensor var = x.var({0, 2, 3}, /*unbiased=*/false);
  const at::Tensor mean_due = norm.mean * 0.9 + mean * 0.1;
  const at::Tensor var_due = norm.var * 0.9 + x.var({0, 2, 3}, /*unbiased=*/true) * 0.1;
  const at::Tensor expected =
      (x - per_channel(mean)) / per_channel(at::sqrt(var + 1e-5)) * per_channel(norm.weight) +
      per_channel(norm.bias);
  expect_close(plain_ops().batch_norm(x, norm.args(true), nullptr), expected);
  expect_close(norm.mean, mean_due);
  expect_close(norm.var, var_due);
}

// Its variance would make the running one infinite or no number, for good.
TEST(PlainOpsTest, BatchNormOverOneValueAChannelIsRefusedInTrainingAlone) {
  Norm norm;
  const at::Tensor before = norm.var.clone();
  const at::Tensor one = at::randn({1, 3, 1, 1});
  const auto of_one = [&] { (void)plain_ops().batch_norm(one, norm.args(true), nullptr); };
  EXPECT_THAT(message_of(Fault::BadInput, of_one), HasSubstr("[1, 3, 1, 1]"));
  EXPECT_TRUE(at::equal(norm.var, before));
  EXPECT_TRUE(plain_ops().batch_norm(one, norm.args(false), nullptr).isfinite().all().item<bool>());
  (void)plain_ops().batch_norm(at::randn({2, 3, 1, 1}), norm.args(true), nullptr);
  EXPECT_TRUE(norm.var.isfinite().all().item<bool>());
}

TEST(PlainOpsTest, BatchNormInEvaluationUsesTheStatistics) {
  Norm norm;
  const at::Tensor x = at::randn({4, 3, 5, 5});
  const at::Tensor before = norm.mean.clone();
  const at::Tensor expected = (x - per_channel(norm.mean)) /
                                  per_channel(at::sqrt(norm.var + 1e-5)) *
                                  per_channel(norm.weight) +
                              per_channel(norm.bias);
  expect_close(plain_ops().batch_norm(x, norm.args(false), nullptr), expected);
  EXPECT_TRUE(at::equal(norm.mean, before));
}

TEST(PlainOpsTest, BatchNormReluAddsTheResidualBeforeItCuts) {
  Norm norm;
  const at::Tensor x = at::randn({4, 3, 5, 5});
  const at::Tensor residual = at::randn({4, 3, 5, 5});
  const at::Tensor kept = residual.clone();
  const Ops ops = plain_ops();
  const at::Tensor sum = ops.batch_norm(x, norm.args(true), &residual);
  expect_close(sum, ops.batch_norm(x, norm.args(true), nullptr) + residual);
  expect_close(ops.batch_norm_relu(x, norm.args(true), &residual), sum.clamp_min(0));
  EXPECT_TRUE(at::equal(residual, kept));
}

TEST(PlainOpsTest, AddRmsNormGivesTheSumAndItsNorm) {
  const at::Tensor stream = at::randn({2, 3, 8});
  const at::Tensor delta = at::randn({2, 3, 8});
  const at::Tensor weight = at::rand({8});
  const auto [sum, normed] = plain_ops().add_rms_norm(stream, &delta, weight, 1e-5);
  expect_close(sum, stream + delta);
  expect_close(normed, sum / at::sqrt(sum.square().mean(-1, true) + 1e-5) * weight);
}

TEST(PlainOpsTest, AddRmsNormWithoutADeltaLeavesTheStream) {
  const at::Tensor stream = at::randn({2, 3, 8});
  const auto [sum, normed] = plain_ops().add_rms_norm(stream, nullptr, at::ones({8}), 1e-5);
  EXPECT_TRUE(at::equal(sum, stream));
}

struct Rotation {
  long context = 5;
  long head_dim = 6;
  at::Tensor angles = at::randn({context, head_dim / 2});
  at::Tensor cos = angles.cos();
  at::Tensor sin = angles.sin();

  // Number i of a head is turned with its partner by the angle of their pair.
  [[nodiscard]] at::Tensor turn(const at::Tensor& x, RopeLayout layout) const {
    at::Tensor out = at::empty_like(x);
    for (long pair = 0; pair < head_dim / 2; ++pair) {
      const long first = layout == RopeLayout::Interleaved ? 2 * pair : pair;
      const long second = layout == RopeLayout::Interleaved ? 2 * pair + 1 : pair + head_dim / 2;
      const at::Tensor a = x.select(-1, first);
      const at::Tensor b = x.select(-1, second);
      const at::Tensor c = cos.select(1, pair);
      const at::Tensor s = sin.select(1, pair);
      out.select(-1, first).copy_(a * c - b * s);
      out.select(-1, second).copy_(a * s + b * c);
    }
    return out;
  }
};

class QkvRopeTest : public testing::TestWithParam<RopeLayout> {};

TEST_P(QkvRopeTest, ProjectsSplitsAndTurns) {
  const Rotation rotation;
  const at::Tensor x = at::randn({2, rotation.context, 24});
  const at::Tensor q = at::randn({24, 24});
  const at::Tensor k = at::randn({12, 24});
  const at::Tensor v = at::randn({12, 24});
  const at::Tensor bias = at::randn({12});
  const QkvArgs args{.q_weight = q,
                     .k_weight = k,
                     .v_weight = v,
                     .v_bias = &bias,
                     .num_heads = 4,
                     .num_kv_heads = 2};
  const auto heads = [](const at::Tensor& y, long count) {
    return y.unflatten(-1, {count, 6}).transpose(1, 2);
  };
  const auto [found_q, found_k, found_v] = plain_ops().qkv_rope(
      x, args, {.cos = rotation.cos, .sin = rotation.sin, .layout = GetParam()});
  EXPECT_THAT(found_q.sizes(), ElementsAre(2, 4, 5, 6));
  expect_close(found_q, rotation.turn(heads(at::matmul(x, q.t()), 4), GetParam()));
  expect_close(found_k, rotation.turn(heads(at::matmul(x, k.t()), 2), GetParam()));
  expect_close(found_v, heads(at::matmul(x, v.t()) + bias, 2));
}
INSTANTIATE_TEST_SUITE_P(Layouts, QkvRopeTest,
                         testing::Values(RopeLayout::Interleaved, RopeLayout::Half));

TEST(PlainOpsTest, AttentionIsCausalAndGroupsItsHeads) {
  const at::Tensor q = at::randn({2, 4, 5, 6});
  const at::Tensor k = at::randn({2, 2, 5, 6});
  const at::Tensor v = at::randn({2, 2, 5, 6});
  const at::Tensor later = at::ones({5, 5}, at::kBool).triu(1);
  const at::Tensor scores =
      at::matmul(q, k.repeat_interleave(2, 1).transpose(-2, -1)) / std::sqrt(6.0);
  const at::Tensor weights =
      scores.masked_fill(later, -std::numeric_limits<float>::infinity()).softmax(-1);
  expect_close(plain_ops().attention(q, k, v), at::matmul(weights, v.repeat_interleave(2, 1)));
}

TEST(PlainOpsTest, SwigluGatesWithSilu) {
  const at::Tensor x = at::randn({2, 3, 4});
  const at::Tensor gate = at::randn({5, 4});
  const at::Tensor up = at::randn({5, 4});
  const at::Tensor g = at::matmul(x, gate.t());
  expect_close(plain_ops().swiglu(x, gate, up), g / (1 + at::exp(-g)) * at::matmul(x, up.t()));
}

TEST(PlainOpsTest, CrossEntropyIsTheMeanNegativeLogProbability) {
  const at::Tensor x = at::randn({2, 3, 4});
  const at::Tensor weight = at::randn({7, 4});
  const at::Tensor targets = at::randint(0, 7, {2, 3}, at::kLong);
  const at::Tensor logits = at::matmul(x, weight.t());
  const at::Tensor chosen = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1);
  expect_close(plain_ops().linear_cross_entropy(x, weight, targets),
               (logits.logsumexp(-1) - chosen).mean());
}

TEST(PlainOpsTest, LossOfBf16LogitsIsTakenInFp32) {
  const at::Tensor x = at::randn({2, 3, 4}).to(at::kBFloat16);
  const at::Tensor weight = at::randn({7, 4}).to(at::kBFloat16);
  const at::Tensor loss = plain_ops().linear_cross_entropy(x, weight, at::zeros({2, 3}, at::kLong));
  EXPECT_EQ(loss.scalar_type(), at::kFloat);
}

TEST(PlainOpsTest, UnderAutocastProductsComeInBf16) {
  const Rotation rotation;
  const at::Tensor x = at::randn({2, rotation.context, 24});
  const at::Tensor w = at::randn({24, 24});
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor hidden = plain_ops().swiglu(x, w, w);
  const auto [q, k, v] = plain_ops().qkv_rope(
      x, {.q_weight = w, .k_weight = w, .v_weight = w, .num_heads = 4, .num_kv_heads = 4},
      {.cos = rotation.cos, .sin = rotation.sin});
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  for (const at::Tensor& tensor : {hidden, q, k, v}) EXPECT_EQ(tensor.scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace ridgeline
