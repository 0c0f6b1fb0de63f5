#include "models/transformer_names.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(TransformerNamesTest, ModulesAreWeightsWithoutTheirLastWord) {
  EXPECT_EQ(module_of_weight("layers.0.attn.q_proj.weight"), "layers.0.attn.q_proj");
  EXPECT_EQ(module_of_weight("weight"), "weight");
}

TEST(TransformerNamesTest, ALayersModulesFollowItsOriginalsNames) {
  const LayerModules cs336 = layer_modules(TransformerSpec::Naming::Cs336, 3);
  EXPECT_EQ(cs336.layer, "layers.3");
  EXPECT_EQ(cs336.attention_norm, "layers.3.ln1");
  EXPECT_EQ(cs336.attention, "layers.3.attn");
  EXPECT_EQ(cs336.qkv, "layers.3.attn.qkv_rope");
  EXPECT_EQ(cs336.output, "layers.3.attn.output_proj");
  EXPECT_EQ(cs336.feed_forward, "layers.3.ffn");
  EXPECT_EQ(cs336.down, "layers.3.ffn.w2");
  const LayerModules llama = layer_modules(TransformerSpec::Naming::Llama, 0);
  EXPECT_EQ(llama.attention, "blocks.0.attention");
  EXPECT_EQ(llama.feed_forward_norm, "blocks.0.norm2");
  EXPECT_EQ(llama.gate_up, "blocks.0.feed_forward.swiglu");
}

}  // namespace
}  // namespace ridgeline
