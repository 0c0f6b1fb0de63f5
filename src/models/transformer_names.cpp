#include "models/transformer_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace ridgeline {

const TransformerNames& names_of(TransformerSpec::Naming naming) {
  static const TransformerNames kCs336{.embedding = "token_embeddings.weight",
                                       .layers = "layers",
                                       .layer = {{{"attn.q_proj.weight", LayerWeight::Q},
                                                  {"attn.k_proj.weight", LayerWeight::K},
                                                  {"attn.v_proj.weight", LayerWeight::V},
                                                  {"attn.output_proj.weight", LayerWeight::Output},
                                                  {"ffn.w1.weight", LayerWeight::Gate},
                                                  {"ffn.w2.weight", LayerWeight::Down},
                                                  {"ffn.w3.weight", LayerWeight::Up},
                                                  {"ln1.weight", LayerWeight::AttentionNorm},
                                                  {"ln2.weight", LayerWeight::FeedForwardNorm}}},
                                       .final_norm = "ln_final.weight",
                                       .head = "lm_head.weight"};
  static const TransformerNames kLlama{
      .embedding = "token_embedding.weight",
      .layers = "blocks",
      .layer = {{{"attention.q_proj.weight", LayerWeight::Q},
                 {"attention.k_proj.weight", LayerWeight::K},
                 {"attention.v_proj.weight", LayerWeight::V},
                 {"attention.o_proj.weight", LayerWeight::Output},
                 {"feed_forward.gate_proj.weight", LayerWeight::Gate},
                 {"feed_forward.up_proj.weight", LayerWeight::Up},
                 {"feed_forward.down_proj.weight", LayerWeight::Down},
                 {"norm1.weight", LayerWeight::AttentionNorm},
                 {"norm2.weight", LayerWeight::FeedForwardNorm}}},
      .final_norm = "norm.weight",
      .head = "output_proj.weight"};
  return naming == TransformerSpec::Naming::Cs336 ? kCs336 : kLlama;
}

std::string module_of_weight(const std::string& weight) {
  return weight.substr(0, weight.rfind('.'));
}

LayerModules layer_modules(TransformerSpec::Naming naming, std::size_t layer) {
  const TransformerNames& names = names_of(naming);
  const std::string base = fmt::format("{}.{}", names.layers, layer);
  const auto module = [&](LayerWeight weight) {
    const auto found =
        std::ranges::find(names.layer, weight, &std::pair<std::string, LayerWeight>::second);
    return fmt::format("{}.{}", base, module_of_weight(found->first));
  };
  const std::string attention = module_of_weight(module(LayerWeight::Q));
  const std::string feed_forward = module_of_weight(module(LayerWeight::Gate));
  return {.layer = base,
          .attention_norm = module(LayerWeight::AttentionNorm),
          .attention = attention,
          .qkv = attention + ".qkv_rope",
          .core = attention + ".sdpa",
          .output = module(LayerWeight::Output),
          .feed_forward_norm = module(LayerWeight::FeedForwardNorm),
          .feed_forward = feed_forward,
          .gate_up = feed_forward + ".swiglu",
          .down = module(LayerWeight::Down)};
}

}  // namespace ridgeline
