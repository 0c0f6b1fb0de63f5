#pragma once

#include <string_view>

#include "trace/op_kind.h"

namespace ridgeline {

// Names of modules are paths with dots, as parameters have them: "layers.3.attn.q_proj".

// What traces of PyTorch's put before it, as ours do.
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

// A part of the path is an attention, so its projections are within it too: "layers.3.attn.q_proj",
// not "attention_norm".
[[nodiscard]] bool within_attention(std::string_view module);
// The module itself is a normalisation: "layers.3.ln1", "blocks.0.attention_norm", "layer1.0.bn2",
// "layer2.0.downsample.1".
[[nodiscard]] bool is_normalisation(std::string_view module);

// What an op is for by where it ran, which says more than its name: a norm that is made of plain
// ops is a normalisation still, and products and softmax of an attention are attention. Its
// projections have modules of their own and stay matrix products. Without a module the name
// decides.
[[nodiscard]] OpKind kind_of_op(std::string_view name, std::string_view module);

}  // namespace ridgeline
