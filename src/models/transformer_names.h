#pragma once

#include <array>
#include <string>
#include <utility>

#include "models/spec.h"

namespace ridgeline {

enum class LayerWeight { AttentionNorm, Q, K, V, Output, FeedForwardNorm, Gate, Up, Down };

// What an original calls its weights, in the order of its state_dict.
struct TransformerNames {
  std::string embedding;
  std::string layers;  // before ".{i}."
  std::array<std::pair<std::string, LayerWeight>, 9> layer;
  std::string final_norm;
  std::string head;
};

[[nodiscard]] const TransformerNames& names_of(TransformerSpec::Naming naming);

// The modules of a layer, for whoever attributes time: those of its weights, and two that compute
// without any, the projections that run as one op and the attention proper.
struct LayerModules {
  std::string layer;
  std::string attention_norm, attention, qkv, core, output;
  std::string feed_forward_norm, feed_forward, gate_up, down;
};
[[nodiscard]] LayerModules layer_modules(TransformerSpec::Naming naming, std::size_t layer);
// "layers.0.attn.q_proj.weight" -> "layers.0.attn.q_proj".
[[nodiscard]] std::string module_of_weight(const std::string& weight);

}  // namespace ridgeline
