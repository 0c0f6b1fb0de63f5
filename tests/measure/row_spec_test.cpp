#include "measure/row_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TransformerSpec odd_transformer() {
  return {.label = "odd",
          .vocab_size = 11,
          .d_model = 24,
          .d_ff = 36,
          .num_layers = 3,
          .num_heads = 6,
          .num_kv_heads = 2,
          .context_length = 17,
          .batch_size = 5,
          .tied = true,
          .rope = RopeLayout::Half,
          .rope_theta = 5e5,
          .eps = 1e-6,
          .naming = TransformerSpec::Naming::Llama};
}

ResNetSpec odd_resnet() {
  return {.label = "resnet20",
          .family = ResNetSpec::Family::CifarOptionA,
          .depth = 20,
          .stem = ResNetSpec::Stem::Cifar,
          .num_classes = 7,
          .image_size = 40,
          .batch_size = 3};
}

FileSpec odd_file() {
  return {.label = "two.pt",
          .path = "models/two.pt",
          .inputs = {{.sizes = {8, 3, 4}, .dtype = "float32"}, {.sizes = {}, .dtype = "int64"}}};
}

RowSpec unusual_row(ModelSpec model) {
  return {.model = std::move(model),
          .settings = {.device = {.kind = DeviceKind::Cuda, .index = 3},
                       .precision = Precision::Bf16Pure,
                       .mode = Mode::Graph,
                       .kernels = Kernels::Fused,
                       .optimizer = OptimizerKind::Sgd,
                       .extent = Extent::Backward,
                       .channels_last = true,
                       .activation_checkpointing = true,
                       .deterministic = true,
                       .cudnn = false,
                       .cudnn_benchmark = true,
                       .cold_cache = true,
                       .accumulation = 4,
                       .threads = 6,
                       .seed = 18446744073709551615ULL},
          .phases = {Phase::Forward, Phase::ForwardBackward},
          .plan = {.warmup_steps = 0,
                   .measure_steps = 13,
                   .min_samples = 9,
                   .max_samples = 99,
                   .budget = Seconds{1.5},
                   .target = 0.25},
          .grow_memory_first = true};
}

// Equal text of a second trip means that no field is lost: every field above differs from its
// default, and the JSON names them all.
void expect_round_trip(const RowSpec& spec, const json& model_fields) {
  const json sent = to_json(spec);
  EXPECT_EQ(to_json(row_spec_from_json(json::parse(sent.dump()))), sent);
  for (const auto& [key, value] : model_fields.items()) EXPECT_EQ(sent["model"][key], value) << key;
  EXPECT_EQ(sent["settings"]["device"], "cuda:3");
  EXPECT_EQ(sent["settings"]["precision"], "bf16-pure");
  EXPECT_EQ(sent["settings"]["seed"], 18446744073709551615ULL);
  EXPECT_EQ(sent["plan"]["max_samples"], 99);
}

TEST(RowSpecJsonTest, ATransformerSurvivesTheTripToAChildAndBack) {
  expect_round_trip(unusual_row(odd_transformer()),
                    {{"vocab_size", 11}, {"num_kv_heads", 2}, {"tied", true}, {"rope_half", true}});
  const RowSpec back = row_spec_from_json(to_json(unusual_row(odd_transformer())));
  const auto& model = std::get<TransformerSpec>(back.model);
  EXPECT_EQ(model.d_ff, 36);
  EXPECT_EQ(model.context_length, 17);
  EXPECT_EQ(model.rope_theta, 5e5);
  EXPECT_EQ(model.naming, TransformerSpec::Naming::Llama);
  EXPECT_EQ(back.plan.measure_steps, 13);
  EXPECT_TRUE(back.grow_memory_first);
}

TEST(RowSpecJsonTest, AResNetSurvivesTheTripToAChildAndBack) {
  expect_round_trip(unusual_row(odd_resnet()),
                    {{"depth", 20}, {"option_a", true}, {"cifar_stem", true}, {"image_size", 40}});
  const RowSpec back = row_spec_from_json(to_json(unusual_row(odd_resnet())));
  EXPECT_EQ(std::get<ResNetSpec>(back.model).family, ResNetSpec::Family::CifarOptionA);
}

TEST(RowSpecJsonTest, AttentionSurvivesTheTripToAChildAndBack) {
  const AttentionSpec attention{.label = "a",
                                .batch_size = 2,
                                .num_heads = 3,
                                .head_dim = 5,
                                .context_length = 7,
                                .causal = false};
  expect_round_trip(unusual_row(attention), {{"head_dim", 5}, {"num_heads", 3}, {"causal", false}});
}

TEST(RowSpecJsonTest, AModelFileSurvivesTheTripToAChildAndBack) {
  expect_round_trip(unusual_row(odd_file()), {{"path", "models/two.pt"}});
  const RowSpec back = row_spec_from_json(to_json(unusual_row(odd_file())));
  const auto& file = std::get<FileSpec>(back.model);
  ASSERT_EQ(file.inputs.size(), 2U);
  EXPECT_EQ(file.inputs[0].sizes, (std::vector<long>{8, 3, 4}));
  EXPECT_EQ(file.inputs[1].dtype, "int64");
}

TEST(RowSpecJsonTest, AnAdaptivePlanHasNoNumberOfSteps) {
  RowSpec spec = unusual_row(odd_resnet());
  spec.plan.measure_steps.reset();
  spec.plan.max_samples.reset();
  const json sent = to_json(spec);
  EXPECT_FALSE(sent["plan"].contains("measure_steps"));
  EXPECT_FALSE(row_spec_from_json(sent).plan.measure_steps);
  EXPECT_FALSE(row_spec_from_json(sent).plan.max_samples);
}

TEST(RowSpecJsonTest, WhatIsNoRowIsBadInput) {
  for (const char* text : {"null", "[]", "3", "\"row\"", "{}"}) {
    const std::string message =
        message_of(Fault::BadInput, [&] { (void)row_spec_from_json(json::parse(text)); });
    EXPECT_THAT(message, HasSubstr("row")) << text;
  }
}

TEST(RowSpecJsonTest, AMissingOrMistypedFieldIsBadInput) {
  const json good = to_json(unusual_row(odd_transformer()));
  for (const char* part : {"model", "settings", "plan"}) {
    for (const auto& [key, value] : good[part].items()) {
      json broken = good;
      broken[part][key] = json::array({1});
      (void)message_of(Fault::BadInput, [&] { (void)row_spec_from_json(broken); });
      if (key == "measure_steps" || key == "max_samples") continue;
      broken[part].erase(key);
      (void)message_of(Fault::BadInput, [&] { (void)row_spec_from_json(broken); });
    }
  }
}

TEST(RowSpecJsonTest, AnUnknownKindOrWordIsNamed) {
  json row = to_json(unusual_row(odd_transformer()));
  row["model"]["kind"] = "mlp";
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)row_spec_from_json(row); }),
              HasSubstr("mlp"));
  row = to_json(unusual_row(odd_transformer()));
  row["phases"] = {"sideways"};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)row_spec_from_json(row); }),
              HasSubstr("sideways"));
}

TEST(PhaseTest, EveryPhaseHasAWordThatIsReadBack) {
  for (const Phase phase :
       {Phase::Forward, Phase::Backward, Phase::Optimizer, Phase::ForwardBackward, Phase::Step}) {
    EXPECT_EQ(parse_phase(name_of(phase)), phase);
  }
  EXPECT_EQ(name_of(Phase::ForwardBackward), "forward+backward");
}

TEST(PhaseTest, AnUnknownPhaseNamesTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_phase("foward"); }),
              HasSubstr("did you mean 'forward'"));
}

TEST(ExtentTest, TheLeastOfAStepThatShowsEveryPhaseRuns) {
  EXPECT_EQ(extent_for({Phase::Forward}), Extent::Forward);
  EXPECT_EQ(extent_for({Phase::Backward}), Extent::Backward);
  EXPECT_EQ(extent_for({Phase::Forward, Phase::Backward}), Extent::Backward);
  EXPECT_EQ(extent_for({Phase::ForwardBackward}), Extent::Backward);
  EXPECT_EQ(extent_for({Phase::Optimizer}), Extent::Step);
  EXPECT_EQ(extent_for({Phase::Step, Phase::Forward}), Extent::Step);
}

TEST(StepVolumeTest, SamplesAndTokensCountEveryMicroBatch) {
  const RunSettings settings{.device = {}, .accumulation = 3};
  EXPECT_DOUBLE_EQ(samples_per_step(odd_transformer(), settings), 15);
  EXPECT_DOUBLE_EQ(tokens_per_step(odd_transformer(), settings).value(), 15 * 17);
  EXPECT_DOUBLE_EQ(samples_per_step(odd_resnet(), settings), 9);
  EXPECT_FALSE(tokens_per_step(odd_resnet(), settings));
}

TEST(StepVolumeTest, AFilesFirstDimensionIsItsBatch) {
  EXPECT_DOUBLE_EQ(samples_per_step(odd_file(), {}), 8);
  EXPECT_DOUBLE_EQ(
      samples_per_step(
          FileSpec{.label = "f", .path = "f", .inputs = {{.sizes = {}, .dtype = "int64"}}}, {}),
      1);
}

TEST(DescribeTest, ALineNamesModelSettingsAndShape) {
  const RowSpec row{
      .model = odd_transformer(), .settings = {}, .phases = {Phase::Step}, .plan = {}};
  EXPECT_EQ(describe(row), "odd cpu fp32 eager, context 17, batch 5");
  EXPECT_EQ(model_kind(row.model), "transformer");
  EXPECT_EQ(label_of(row.model), "odd");
}

}  // namespace
}  // namespace ridgeline
