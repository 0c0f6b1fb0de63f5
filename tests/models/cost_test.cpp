#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/catalog.h"

namespace ridgeline {
namespace {

// 1 layer, width 4 in 2 heads of 2, hidden 8, vocabulary 10, 2 rows of 3 tokens.
TransformerSpec tiny() {
  return {.label = "t",
          .vocab_size = 10,
          .d_model = 4,
          .d_ff = 8,
          .num_layers = 1,
          .num_heads = 2,
          .num_kv_heads = 2,
          .context_length = 3,
          .batch_size = 2};
}

TEST(CostTest, ForwardFlopOfATinyTransformerMatchesPaper) {
  // 6 tokens; q, k, v, o: 4 * 16, gate, up, down: 3 * 32, head 40 multiply-adds a token.
  const double products = 2.0 * 6 * (64 + 96 + 40);
  // 2 rows * 2 heads * 6 pairs * 2 wide, twice.
  const double attention = 2.0 * 2 * (2 * 2 * 6 * 2);
  EXPECT_DOUBLE_EQ(step_cost(tiny(), {})->forward.flop.count, products + attention);
}

TEST(CostTest, BackwardIsTwiceTheProductsAndTwoAndAHalfTimesTheAttention) {
  const double products = 2.0 * 6 * (64 + 96 + 40);
  const double attention = 2.0 * 2 * (2 * 2 * 6 * 2);
  EXPECT_DOUBLE_EQ(step_cost(tiny(), {})->backward.flop.count, 2 * products + 2.5 * attention);
  EXPECT_DOUBLE_EQ(model_flop(tiny(), {})->count, 3 * products + 3 * attention);
}

TEST(CostTest, CheckpointingRunsTheLayersButNotTheHeadAgain) {
  const RunSettings plain;
  const RunSettings checkpointed{.activation_checkpointing = true};
  const double head = 2.0 * 6 * 40;
  const StepCost before = *step_cost(tiny(), plain);
  const StepCost after = *step_cost(tiny(), checkpointed);
  EXPECT_DOUBLE_EQ(after.backward.flop.count - before.backward.flop.count,
                   before.forward.flop.count - head);
  EXPECT_DOUBLE_EQ(after.forward.flop.count, before.forward.flop.count);
  EXPECT_DOUBLE_EQ(model_flop(tiny(), checkpointed)->count, model_flop(tiny(), plain)->count);
}

TEST(CostTest, TrainingFlopIsNearSixTimesParametersTimesTokens) {
  const TransformerSpec spec = *find_size("small");
  const double tokens = 4.0 * 256;
  const double lookup = 10000.0 * 768;  // the embedding is looked up, not multiplied
  const double attention = 12 * 3 * 4 * 4 * 768 * (256.0 * 257 / 2);
  const double norms = 25 * 768;
  EXPECT_NEAR(model_flop(spec, {})->count, 6 * tokens * (128'625'408 - lookup - norms) + attention,
              1);
}

TEST(CostTest, ResNet18ForwardIs1p814GigaMultiplyAddsAnImage) {
  const ResNetSpec spec{.label = "resnet18", .batch_size = 1};
  // torchvision's documentation says 1.81 GFLOPS (multiply-adds), products alone.
  EXPECT_DOUBLE_EQ(step_cost(spec, {})->forward.flop.count, 2 * 1'814'073'344.0);
}

TEST(CostTest, ResNet50ForwardIs4p09GigaMultiplyAddsAnImage) {
  const auto spec = std::get<ResNetSpec>(*find_model("resnet50"));
  EXPECT_DOUBLE_EQ(step_cost(spec, {})->forward.flop.count, 4 * 2 * 4'089'184'256.0);
}

TEST(CostTest, TheImageNeedsNoGradient) {
  const ResNetSpec spec{.label = "resnet18", .batch_size = 1};
  const StepCost cost = *step_cost(spec, {});
  const double stem = 2.0 * 64 * 112 * 112 * 3 * 7 * 7;
  EXPECT_DOUBLE_EQ(cost.backward.flop.count, 2 * cost.forward.flop.count - stem);
}

TEST(CostTest, AttentionCountsOnlyThePairsItsMaskLeaves) {
  AttentionSpec spec{.batch_size = 2, .num_heads = 3, .head_dim = 4, .context_length = 5};
  EXPECT_DOUBLE_EQ(step_cost(spec, {})->forward.flop.count, 2 * 2 * (2 * 3) * 15.0 * 4);
  spec.causal = false;
  EXPECT_DOUBLE_EQ(step_cost(spec, {})->forward.flop.count, 2 * 2 * (2 * 3) * 25.0 * 4);
}

TEST(CostTest, OptimizerMoves28BytesAParameterForAdamWAnd20ForMomentum) {
  const double parameters = 128'625'408;
  const TransformerSpec spec = *find_size("small");
  EXPECT_DOUBLE_EQ(step_cost(spec, {})->optimizer.bytes.count, 28 * parameters);
  EXPECT_DOUBLE_EQ(step_cost(spec, {.optimizer = OptimizerKind::Sgd})->optimizer.bytes.count,
                   20 * parameters);
  EXPECT_DOUBLE_EQ(step_cost(spec, {.precision = Precision::Bf16Pure})->optimizer.bytes.count,
                   14 * parameters);
}

// Muon keeps one state for its matrices; what is none, here embedding, head and norms, has AdamW's.
TEST(CostTest, MuonMultipliesHiddenMatricesWithThemselves) {
  const RunSettings settings{.optimizer = OptimizerKind::Muon};
  // Four of 4 x 4, three of 4 x 8: five times 4 m m n + 2 m m m.
  const double products = 5 * (4 * (4.0 * 64 + 2 * 64) + 3 * (4.0 * 16 * 8 + 2 * 64));
  const double matrices = 64 + 96;
  const double rest = 2 * 40 + 12;
  const StepCost cost = *step_cost(tiny(), settings);
  EXPECT_DOUBLE_EQ(cost.optimizer.flop.count, products + 12 * matrices + 15 * rest);
  EXPECT_DOUBLE_EQ(cost.optimizer.bytes.count, 20 * matrices + 28 * rest);
  EXPECT_DOUBLE_EQ(memory_need(tiny(), settings)->optimizer_state.count, 4 * matrices + 8 * rest);
}

TEST(CostTest, MuonBesideResNetsIsSgd) {
  const ResNetSpec spec{.label = "resnet18", .batch_size = 1};
  const double parameters = static_cast<double>(*parameter_count(spec));
  EXPECT_DOUBLE_EQ(step_cost(spec, {.optimizer = OptimizerKind::Muon})->optimizer.bytes.count,
                   20 * parameters);
}

TEST(CostTest, InferenceReadsWeightsAndTokensAndWritesLogits) {
  const double weights = 4.0 * (40 + 64 + 96 + 12 + 40);
  const double tokens = 2 * 8.0 * 6;
  const double logits = 4.0 * 6 * 10;
  const StepCost cost = *step_cost(tiny(), {.extent = Extent::Inference});
  EXPECT_DOUBLE_EQ(cost.forward.bytes.count, weights + tokens + logits);
  EXPECT_DOUBLE_EQ(cost.backward.flop.count, 0);
  EXPECT_DOUBLE_EQ(cost.optimizer.bytes.count, 0);
}

TEST(CostTest, BackwardReadsWhatTheForwardSavedAndWritesGradients) {
  const StepCost cost = *step_cost(tiny(), {});
  const double weights = 4.0 * (40 + 64 + 96 + 12 + 40);
  const double tokens = 2 * 8.0 * 6;
  const double saved = cost.forward.bytes.count - weights - tokens;
  EXPECT_DOUBLE_EQ(saved, memory_need(tiny(), {})->activations.count);
  EXPECT_DOUBLE_EQ(cost.backward.bytes.count, saved + 2 * weights);
}

TEST(CostTest, AccumulationRepeatsThePassesButNotTheUpdate) {
  const StepCost once = *step_cost(tiny(), {});
  const StepCost thrice = *step_cost(tiny(), {.accumulation = 3});
  EXPECT_DOUBLE_EQ(thrice.forward.flop.count, 3 * once.forward.flop.count);
  EXPECT_DOUBLE_EQ(thrice.backward.flop.count, 3 * once.backward.flop.count);
  EXPECT_DOUBLE_EQ(thrice.optimizer.flop.count, once.optimizer.flop.count);
}

TEST(MemoryNeedTest, PartsFollowTheExtent) {
  const double weights = 4.0 * 128'625'408;
  const TransformerSpec spec = *find_size("small");
  const MemoryNeed inference = *memory_need(spec, {.extent = Extent::Inference});
  EXPECT_DOUBLE_EQ(inference.gradients.count, 0);
  EXPECT_DOUBLE_EQ(inference.optimizer_state.count, 0);
  const MemoryNeed step = *memory_need(spec, {});
  EXPECT_DOUBLE_EQ(step.gradients.count, weights);
  EXPECT_DOUBLE_EQ(step.optimizer_state.count, 2 * weights);
  EXPECT_LT(inference.activations.count, step.activations.count / 10);
}

TEST(MemoryNeedTest, NeverLessThanWeightsGradientsAndState) {
  for (const auto name : size_names()) {
    TransformerSpec spec = *find_size(name);
    spec.batch_size = 1;
    spec.context_length = 16;
    const MemoryNeed need = *memory_need(spec, {});
    EXPECT_GE(need.total().count, need.parameters.count + need.batch.count + need.gradients.count +
                                      need.optimizer_state.count);
  }
}

TEST(MemoryNeedTest, ShrinksWithCheckpointingAndHalfPrecision) {
  TransformerSpec spec = *find_size("medium");
  spec.context_length = 1024;
  const double plain = memory_need(spec, {})->total().count;
  EXPECT_LT(memory_need(spec, {.activation_checkpointing = true})->total().count, plain / 1.5);
  EXPECT_LT(memory_need(spec, {.precision = Precision::Bf16})->total().count, plain);
  EXPECT_LT(memory_need(spec, {.precision = Precision::Bf16Pure})->total().count, plain / 1.6);
}

}  // namespace
}  // namespace ridgeline
