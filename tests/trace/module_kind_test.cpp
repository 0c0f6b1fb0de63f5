#include "trace/module_kind.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ModuleKindTest, AnAttentionsPartsAreWithinItAndItsNormIsNot) {
  for (const char* const module : {"layers.3.attn", "blocks.0.attention.o_proj", "self_attn",
                                   "model.layers.1.self_attn.q_proj"})
    EXPECT_TRUE(within_attention(module)) << module;
  for (const char* const module : {"", "blocks.0.attention_norm", "layers.3.ffn", "lm_head"})
    EXPECT_FALSE(within_attention(module)) << module;
}

TEST(ModuleKindTest, NormsAreKnownByTheLastPartOfTheirName) {
  for (const char* const module :
       {"layers.3.ln1", "ln_final", "norm", "blocks.0.attention_norm", "bn1", "layer1.0.bn2",
        "input_layernorm", "layer2.0.downsample.1"})
    EXPECT_TRUE(is_normalisation(module)) << module;
  for (const char* const module : {"", "layers.0", "norm.proj", "lnet", "bnet.conv", "lm_head",
                                   "layer2.0.downsample.0", "downsample.10"})
    EXPECT_FALSE(is_normalisation(module)) << module;
}

TEST(ModuleKindTest, WhereAnOpRanSaysMoreThanItsName) {
  EXPECT_EQ(kind_of_op("aten::mul", "layers.0.ln1"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("aten::mean", "norm"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("PowBackward0", "norm"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("aten::copy_", "norm"), OpKind::Copy);
  EXPECT_EQ(kind_of_op("aten::bmm", "layers.0.attn.sdpa"), OpKind::Attention);
  EXPECT_EQ(kind_of_op("aten::_softmax", "layers.0.attn"), OpKind::Attention);
  EXPECT_EQ(kind_of_op("aten::mm", "layers.0.attn.output_proj"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("aten::mul", "layers.0.ffn"), OpKind::Elementwise);
  EXPECT_EQ(kind_of_op("aten::mm", ""), OpKind::Matmul);
}

}  // namespace
}  // namespace ridgeline
