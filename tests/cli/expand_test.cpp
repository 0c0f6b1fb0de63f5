#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/workload_flags.h"
#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Device kCpu{};
const Device kGpu{.kind = DeviceKind::Cuda, .index = 1};

WorkloadFlags flags_for(const std::string& model) {
  WorkloadFlags flags;
  flags.model = model;
  return flags;
}

std::vector<RowSpec> rows_of(const WorkloadFlags& flags, const Device& device = kCpu) {
  return expand(flags, device, /*threads=*/2, /*seed=*/7);
}

std::string refusal(const WorkloadFlags& flags) {
  return message_of(Fault::BadInput, [&] { (void)rows_of(flags); });
}

std::vector<std::string> described(const std::vector<RowSpec>& rows) {
  std::vector<std::string> lines;
  for (const RowSpec& row : rows) lines.push_back(describe(row));
  return lines;
}

TEST(ExpandTest, ModelAloneIsOneTrainingStepAsTheWorkflowsHaveIt) {
  const auto rows = rows_of(flags_for("transformer"));
  ASSERT_EQ(rows.size(), 1U);
  const auto& model = std::get<TransformerSpec>(rows[0].model);
  EXPECT_EQ(model.label, "small");
  EXPECT_EQ(model.batch_size, 4);
  EXPECT_EQ(model.context_length, 256);
  EXPECT_EQ(rows[0].settings.extent, Extent::Step);
  EXPECT_EQ(rows[0].settings.threads, 2);
  EXPECT_EQ(rows[0].settings.seed, 7U);
  EXPECT_EQ(rows[0].plan.warmup_steps, 5);
  EXPECT_FALSE(rows[0].plan.measure_steps);
  EXPECT_EQ(rows[0].plan.budget, Seconds{20});
  EXPECT_DOUBLE_EQ(rows[0].plan.target, 0.01);
}

TEST(ExpandTest, ASweepGoesOverSizesThenShapesThenPrecisionsThenModes) {
  WorkloadFlags flags = flags_for("transformer");
  flags.sizes = {"small,medium"};
  flags.context_lengths = {"128", "256"};
  flags.batch_sizes = {"1-2"};
  flags.precisions = {"fp32,bf16"};
  flags.modes = {"eager,graph"};
  const auto rows = rows_of(flags, kGpu);
  ASSERT_EQ(rows.size(), 2U * 2 * 2 * 2 * 2);
  const auto lines = described(rows);
  EXPECT_EQ(lines[0], "small cuda:1 fp32 eager, context 128, batch 1");
  EXPECT_EQ(lines[1], "small cuda:1 fp32 graph fused, context 128, batch 1");
  EXPECT_EQ(lines[2], "small cuda:1 bf16 eager, context 128, batch 1");
  EXPECT_EQ(lines[4], "small cuda:1 fp32 eager, context 128, batch 2");
  EXPECT_EQ(lines[8], "small cuda:1 fp32 eager, context 256, batch 1");
  EXPECT_EQ(lines[16], "medium cuda:1 fp32 eager, context 128, batch 1");
}

TEST(ExpandTest, SizesMayComeByCommaOrByBlank) {
  WorkloadFlags commas = flags_for("transformer");
  commas.sizes = {"small,xl"};
  WorkloadFlags blanks = flags_for("transformer");
  blanks.sizes = {"small", "xl"};
  EXPECT_EQ(described(rows_of(commas)), described(rows_of(blanks)));
  EXPECT_EQ(rows_of(commas).size(), 2U);
}

TEST(ExpandTest, AGeometricRangeOfContextsForAttention) {
  WorkloadFlags flags = flags_for("attention");
  flags.head_dims = {"16,64"};
  flags.context_lengths = {"256-16384*2"};
  const auto rows = rows_of(flags);
  EXPECT_EQ(rows.size(), 2U * 7);
  EXPECT_EQ(std::get<AttentionSpec>(rows[6].model).context_length, 16384);
  EXPECT_EQ(rows[0].settings.extent, Extent::Forward);  // attention alone has no step
}

TEST(ExpandTest, DimensionsByHandGiveTheModelItsOwnName) {
  WorkloadFlags flags = flags_for("transformer");
  flags.d_model = 32;
  flags.num_layers = 2;
  flags.num_heads = 4;
  const auto rows = rows_of(flags);
  const auto& model = std::get<TransformerSpec>(rows.at(0).model);
  EXPECT_EQ(model.label, "32x2");
  EXPECT_EQ(model.d_ff, 128);
  EXPECT_EQ(model.num_kv_heads, 4);
}

TEST(ExpandTest, PhasesDecideHowMuchOfAStepRuns) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.phases = {"forward,backward"};
  const auto rows = rows_of(flags);
  EXPECT_THAT(rows.at(0).phases, ElementsAre(Phase::Forward, Phase::Backward));
  EXPECT_EQ(rows[0].settings.extent, Extent::Backward);
}

TEST(ExpandTest, InferenceIsForwardAloneAndRefusesOtherPhases) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.inference = true;
  EXPECT_EQ(rows_of(flags).at(0).settings.extent, Extent::Inference);
  EXPECT_THAT(rows_of(flags).at(0).phases, ElementsAre(Phase::Forward));
  flags.phases = {"backward"};
  EXPECT_THAT(refusal(flags), HasSubstr("--inference"));
}

TEST(ExpandTest, AmpIsFp16OnAGpuAndNothingOnACpu) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.amp = true;
  EXPECT_EQ(rows_of(flags, kGpu).at(0).settings.precision, Precision::Fp16);
  EXPECT_EQ(rows_of(flags, kCpu).at(0).settings.precision, Precision::Fp32);
  flags.precisions = {"bf16"};
  EXPECT_EQ(rows_of(flags, kGpu).at(0).settings.precision, Precision::Bf16);
}

TEST(ExpandTest, KernelsAreFusedInAGraphOnAGpuAndPlainElsewhereUnlessNamed) {
  const auto kernels_of = [](const std::vector<std::string>& words, const std::string& mode,
                             const Device& device) {
    WorkloadFlags flags = flags_for("resnet18");
    flags.kernels = words;
    flags.modes = {mode};
    return rows_of(flags, device).at(0).settings.kernels;
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"auto"}}) {
    EXPECT_EQ(kernels_of(words, "graph", kGpu), Kernels::Fused);
    EXPECT_EQ(kernels_of(words, "eager", kGpu), Kernels::Plain);
    EXPECT_EQ(kernels_of(words, "graph", kCpu), Kernels::Plain);
    EXPECT_EQ(kernels_of(words, "eager", kCpu), Kernels::Plain);
  }
  EXPECT_EQ(kernels_of({"plain"}, "graph", kGpu), Kernels::Plain);
  EXPECT_EQ(kernels_of({"fused"}, "eager", kGpu), Kernels::Fused);
}

TEST(ExpandTest, RowsRecordTheKernelsThatRan) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.modes = {"eager,graph"};
  std::vector<std::string> recorded;
  for (const RowSpec& row : rows_of(flags, kGpu))
    recorded.push_back(to_json(row).at("settings").at("kernels"));
  EXPECT_THAT(recorded, ElementsAre("plain", "fused"));
  flags.kernels = {"fussed"};
  EXPECT_THAT(refusal(flags), HasSubstr("did you mean 'fused'?); one of: auto, plain, fused"));
}

TEST(ExpandTest, ResNetsAreChannelsLastUnlessToldOtherwise) {
  WorkloadFlags flags = flags_for("resnet18");
  EXPECT_TRUE(rows_of(flags).at(0).settings.channels_last);
  flags.memory_format = "contiguous";
  EXPECT_FALSE(rows_of(flags).at(0).settings.channels_last);
  EXPECT_FALSE(rows_of(flags_for("transformer")).at(0).settings.channels_last);
  flags.memory_format = "chanels-last";
  EXPECT_THAT(refusal(flags), HasSubstr("did you mean 'channels-last'"));
}

TEST(ExpandTest, TheStemCanBeChanged) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.stem = "cifar";
  EXPECT_EQ(std::get<ResNetSpec>(rows_of(flags).at(0).model).stem, ResNetSpec::Stem::Cifar);
  flags.stem = "cfar";
  EXPECT_THAT(refusal(flags), HasSubstr("did you mean 'cifar'"));
  WorkloadFlags small = flags_for("resnet20");
  small.stem = "imagenet";
  EXPECT_THAT(refusal(small), HasSubstr("CIFAR stem"));
}

TEST(ExpandRefusalTest, UnknownNamesGetTheNearest) {
  EXPECT_THAT(refusal(flags_for("resnet81")), HasSubstr("did you mean 'resnet18'"));
  EXPECT_THAT(refusal(flags_for("tranformer")), HasSubstr("did you mean 'transformer'"));
  WorkloadFlags flags = flags_for("transformer");
  flags.sizes = {"smal"};
  EXPECT_THAT(refusal(flags), HasSubstr("did you mean 'small'"));
  flags = flags_for("transformer");
  flags.precisions = {"bf15"};
  EXPECT_THAT(refusal(flags), HasSubstr("did you mean"));
}

TEST(ExpandRefusalTest, AShapeTheModelHasNoUseForIsRefused) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.context_lengths = {"128,256"};
  EXPECT_THAT(refusal(flags), HasSubstr("--context-length means nothing to resnet18"));
  flags = flags_for("transformer");
  flags.image_sizes = {"32"};
  EXPECT_THAT(refusal(flags), HasSubstr("--image-size means nothing to"));
  flags = flags_for("tiny-llama");
  flags.head_dims = {"32"};
  EXPECT_THAT(refusal(flags), HasSubstr("--head-dim means nothing to"));
}

TEST(ExpandRefusalTest, AFlagOfAnotherKindOfModelIsRefused) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.sizes = {"small"};
  EXPECT_THAT(refusal(flags), HasSubstr("--size means nothing to resnet18"));
  flags = flags_for("resnet18");
  flags.d_model = 64;
  EXPECT_THAT(refusal(flags), HasSubstr("--d-model means nothing to resnet18"));
  flags = flags_for("transformer");
  flags.stem = "cifar";
  EXPECT_THAT(refusal(flags), HasSubstr("--stem means nothing to transformer"));
  flags = flags_for("transformer");
  flags.inputs = {"8x3:float32"};
  EXPECT_THAT(refusal(flags), HasSubstr("--input means nothing to transformer"));
  flags = flags_for("attention");
  flags.num_heads = 3;
  EXPECT_EQ(std::get<AttentionSpec>(rows_of(flags).at(0).model).num_heads, 3);
}

TEST(ExpandRefusalTest, NumbersThatAreNoneAreRefusedByFlagName) {
  for (const char* bad :
       {"0", "-1", "four", "8-4", "1-8*1", "", ",", "1e3", "2.5", "99999999999999999999"}) {
    WorkloadFlags flags = flags_for("transformer");
    flags.batch_sizes = {bad};
    EXPECT_THAT(refusal(flags), HasSubstr("--batch-size")) << bad;
  }
}

TEST(ExpandRefusalTest, EmptyListsOfWordsAreRefused) {
  WorkloadFlags flags = flags_for("transformer");
  flags.sizes = {","};
  EXPECT_THAT(refusal(flags), HasSubstr("--size"));
  flags = flags_for("transformer");
  flags.precisions = {""};
  EXPECT_THAT(refusal(flags), HasSubstr("--precision"));
  flags = flags_for("transformer");
  flags.phases = {" "};
  EXPECT_THAT(refusal(flags), HasSubstr("--phase"));
}

TEST(ExpandRefusalTest, DimensionsThatDoNotWorkAreRefused) {
  WorkloadFlags flags = flags_for("transformer");
  flags.num_heads = 7;
  EXPECT_THAT(refusal(flags), HasSubstr("not a multiple of 7 heads"));
  flags.num_heads = 0;
  EXPECT_THAT(refusal(flags), HasSubstr("must be positive"));
  flags = flags_for("transformer");
  flags.num_kv_heads = 5;
  EXPECT_THAT(refusal(flags), HasSubstr("cannot share 5"));
  flags = flags_for("resnet18");
  flags.num_classes = -3;
  EXPECT_THAT(refusal(flags), HasSubstr("must be positive"));
}

TEST(ExpandRefusalTest, APlanThatCannotBeIsRefused) {
  WorkloadFlags flags = flags_for("resnet18");
  flags.warmup_steps = -1;
  EXPECT_THAT(refusal(flags), HasSubstr("--warmup-steps"));
  flags = flags_for("resnet18");
  flags.budget = "soon";
  EXPECT_THAT(refusal(flags), HasSubstr("--budget"));
}

TEST(ExpandFileTest, AModelFileMustExistAndBeFed) {
  EXPECT_THAT(refusal(flags_for("nowhere/model.pt")), HasSubstr("no such file"));
  const TemporaryFolder folder;
  folder.put("model.pt", "x");
  WorkloadFlags flags = flags_for((folder.path() / "model.pt").string());
  EXPECT_THAT(refusal(flags), HasSubstr("--input"));
  flags.inputs = {"8x3x4:float32"};
  const auto rows = rows_of(flags);
  EXPECT_EQ(label_of(rows.at(0).model), "model.pt");
  EXPECT_EQ(rows[0].settings.extent, Extent::Forward);
  flags.batch_sizes = {"4"};
  EXPECT_THAT(refusal(flags), HasSubstr("--batch-size means nothing"));
}

}  // namespace
}  // namespace ridgeline
