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

}  // namespace ridgeline
