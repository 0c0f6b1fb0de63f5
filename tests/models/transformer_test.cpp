#include <ATen/ATen.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/catalog.h"
#include "models/make.h"
#include "models/model_check.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TransformerSpec tiny() {
  return {.label = "t",
          .vocab_size = 50,
          .d_model = 16,
          .d_ff = 32,
          .num_layers = 2,
          .num_heads = 4,
          .num_kv_heads = 2,
          .context_length = 8,
          .batch_size = 3};
}

TransformerSpec tiny_llama() {
  TransformerSpec spec = tiny();
  spec.naming = TransformerSpec::Naming::Llama;
  spec.tied = true;
  spec.num_layers = 1;
  return spec;
}

std::unique_ptr<Model> make(const TransformerSpec& spec) {
  return make_model(spec, {.ops = plain_ops()}, 42);
}

TEST(TransformerTest, Cs336NamesAreTheOriginals) {
  TransformerSpec spec = tiny();
  spec.num_layers = 1;
  EXPECT_THAT(names_in(make(spec)->parameters()),
              ElementsAre("token_embeddings.weight", "layers.0.attn.q_proj.weight",
                          "layers.0.attn.k_proj.weight", "layers.0.attn.v_proj.weight",
                          "layers.0.attn.output_proj.weight", "layers.0.ffn.w1.weight",
                          "layers.0.ffn.w2.weight", "layers.0.ffn.w3.weight", "layers.0.ln1.weight",
                          "layers.0.ln2.weight", "ln_final.weight", "lm_head.weight"));
}

TEST(TransformerTest, LlamaNamesAreTheOriginals) {
  EXPECT_THAT(
      names_in(make(tiny_llama())->parameters()),
      ElementsAre("token_embedding.weight", "blocks.0.attention.q_proj.weight",
                  "blocks.0.attention.k_proj.weight", "blocks.0.attention.v_proj.weight",
                  "blocks.0.attention.o_proj.weight", "blocks.0.feed_forward.gate_proj.weight",
                  "blocks.0.feed_forward.up_proj.weight", "blocks.0.feed_forward.down_proj.weight",
                  "blocks.0.norm1.weight", "blocks.0.norm2.weight", "norm.weight"));
}

TEST(TransformerTest, HoldsAsManyNumbersAsTheSpecCounts) {
  for (const TransformerSpec& spec : {tiny(), tiny_llama()}) {
    EXPECT_EQ(numbers_in(make(spec)->parameters()), *parameter_count(spec));
  }
}

TEST(TransformerTest, EveryParameterGetsAGradient) {
  for (const bool checkpointing : {false, true}) {
    for (TransformerSpec spec : {tiny(), tiny_llama()}) {
      const auto model =
          make_model(spec, {.ops = plain_ops(), .activation_checkpointing = checkpointing}, 1);
      differentiate(*model, 7);
      EXPECT_THAT(without_gradient(*model), IsEmpty());
    }
  }
}

TEST(TransformerTest, CheckpointingChangesNoGradient) {
  const auto plain = make_model(tiny(), {.ops = plain_ops()}, 1);
  const auto small = make_model(tiny(), {.ops = plain_ops(), .activation_checkpointing = true}, 1);
  differentiate(*plain, 7);
  differentiate(*small, 7);
  const auto expected = plain->parameters();
  const auto found = small->parameters();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::equal(found[i].second.grad(), expected[i].second.grad())) << expected[i].first;
  }
}

TEST(TransformerTest, LaterTokensDoNotChangeEarlierLogits) {
  const auto model = make(tiny());
  at::Tensor tokens = model->synthetic_batch(3).first;
  const at::Tensor before = model->forward(tokens).narrow(1, 0, 5);
  tokens.narrow(1, 5, 3).fill_(0);
  EXPECT_TRUE(at::allclose(model->forward(tokens).narrow(1, 0, 5), before, 1e-5, 1e-6));
}

TEST(TransformerTest, ShorterInputGivesTheSameLogits) {
  const auto model = make(tiny());
  const at::Tensor tokens = model->synthetic_batch(3).first;
  const at::Tensor whole = model->forward(tokens).narrow(1, 0, 5);
  EXPECT_TRUE(at::allclose(model->forward(tokens.narrow(1, 0, 5)), whole, 1e-5, 1e-6));
}

TEST(TransformerTest, LongerInputIsRefused) {
  const auto model = make(tiny());
  EXPECT_THROW((void)model->forward(at::zeros({1, 9}, at::kLong)), Error);
}

TEST(TransformerTest, LossIsTheMeanCrossEntropyOfTheLogits) {
  const auto model = make(tiny());
  const auto [input, target] = model->synthetic_batch(3);
  const at::Tensor logits = model->forward(input);
  const at::Tensor chosen = logits.log_softmax(-1).gather(-1, target.unsqueeze(-1));
  EXPECT_NEAR(model->loss(input, target).item<float>(), -chosen.mean().item<float>(), 1e-5);
}

TEST(TransformerTest, EqualSeedsGiveEqualModelsAndBatches) {
  const auto a = make_model(tiny(), {.ops = plain_ops()}, 5);
  const auto b = make_model(tiny(), {.ops = plain_ops()}, 5);
  const auto c = make_model(tiny(), {.ops = plain_ops()}, 6);
  EXPECT_TRUE(at::equal(a->parameters()[0].second, b->parameters()[0].second));
  EXPECT_FALSE(at::equal(a->parameters()[0].second, c->parameters()[0].second));
  EXPECT_TRUE(at::equal(a->synthetic_batch(1).first, a->synthetic_batch(1).first));
  EXPECT_FALSE(at::equal(a->synthetic_batch(1).first, a->synthetic_batch(2).first));
}

TEST(TransformerTest, TargetsAreTheNextTokens) {
  const auto [input, target] = make(tiny())->synthetic_batch(1);
  EXPECT_TRUE(at::equal(input.narrow(1, 1, 7), target.narrow(1, 0, 7)));
}

TEST(TransformerTest, StartingWeightsHaveTheOriginalsSpread) {
  TransformerSpec spec = tiny();
  spec.d_model = 64;
  spec.d_ff = 256;
  spec.vocab_size = 1000;
  const auto cs336 = make(spec)->parameters();
  EXPECT_NEAR(cs336[0].second.std().item<float>(), 0.987, 0.02);  // normal cut at 3 deviations
  EXPECT_LE(cs336[0].second.abs().max().item<float>(), 3.0F);
  EXPECT_NEAR(cs336[5].second.std().item<float>(), 0.987 * std::sqrt(2.0 / (64 + 256)), 2e-3);
  spec.naming = TransformerSpec::Naming::Llama;
  EXPECT_NEAR(make(spec)->parameters()[0].second.std().item<float>(), 0.02, 1e-3);
}

TEST(TransformerTest, SetDataMovesTheModelItself) {
  const auto model = make(tiny());
  const at::Tensor tokens = model->synthetic_batch(3).first;
  for (const auto& [name, parameter] : model->parameters()) {
    parameter.set_data(at::zeros_like(parameter));
  }
  EXPECT_EQ(model->forward(tokens).abs().max().item<float>(), 0);
}

TEST(TransformerTest, RotaryTablesAreConstantsNotBuffers) {
  const auto model = make(tiny());
  EXPECT_THAT(model->buffers(), IsEmpty());
  EXPECT_THAT(names_in(model->constants()), ElementsAre("rope.cos", "rope.sin"));
  EXPECT_THAT(model->constants()[0].second.sizes(), ElementsAre(8, 2));
}

TEST(TransformerTest, RunsInPureBf16) {
  const auto model = make(tiny());
  for (const auto& [name, parameter] : model->parameters()) {
    parameter.set_data(parameter.to(at::kBFloat16));
  }
  differentiate(*model, 7);
  EXPECT_THAT(without_gradient(*model), IsEmpty());
}

}  // namespace
}  // namespace ridgeline
