#include <ATen/ATen.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/make.h"
#include "models/model_check.h"

namespace ridgeline {
namespace {

// softmax(q k^T / sqrt(d)) v written out.
at::Tensor by_definition(const NamedTensors& qkv, bool causal) {
  const at::Tensor& q = qkv[0].second;
  at::Tensor scores = at::matmul(q, qkv[1].second.transpose(-2, -1)) / std::sqrt(q.size(-1));
  if (causal) {
    const long context = q.size(-2);
    const at::Tensor later = at::ones({context, context}, at::kBool).triu(1);
    scores = scores.masked_fill(later, -std::numeric_limits<float>::infinity());
  }
  return at::matmul(scores.softmax(-1), qkv[2].second);
}

class AttentionModelTest : public testing::TestWithParam<bool> {};

TEST_P(AttentionModelTest, IsSoftmaxOfScaledProductsTimesValues) {
  const AttentionSpec spec{
      .batch_size = 2, .num_heads = 3, .head_dim = 8, .context_length = 5, .causal = GetParam()};
  const auto model = make_model(spec, {.ops = plain_ops()}, 1);
  const at::Tensor found = model->forward(model->synthetic_batch(1).first);
  EXPECT_TRUE(at::allclose(found, by_definition(model->parameters(), GetParam()), 1e-5, 1e-6));
}
INSTANTIATE_TEST_SUITE_P(Masks, AttentionModelTest, testing::Bool());

TEST(AttentionModelTest, EveryInputGetsAGradient) {
  const auto model =
      make_model(AttentionSpec{.batch_size = 1, .context_length = 16}, {.ops = plain_ops()}, 1);
  differentiate(*model, 1);
  EXPECT_THAT(without_gradient(*model), testing::IsEmpty());
  EXPECT_THAT(names_in(model->constants()), testing::ElementsAre("gradient"));
}

TEST(AttentionModelTest, HasNoTarget) {
  const auto model = make_model(AttentionSpec{}, {.ops = plain_ops()}, 1);
  const auto [input, target] = model->synthetic_batch(1);
  EXPECT_TRUE(input.defined());
  EXPECT_FALSE(target.defined());
}

}  // namespace
}  // namespace ridgeline
