#include "trace/module_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ridgeline {
namespace {

// The attention itself, without what stands before and behind it.
constexpr std::array<std::string_view, 3> kAttentions{"attn", "attention", "self_attn"};
constexpr std::string_view kAttentionCore = "sdpa";
// torchvision's ResNets, and so ours, number a projection's convolution and its norm.
constexpr std::string_view kProjectionNorm = ".downsample.1";

std::string_view last_part(std::string_view module) {
  return module.substr(module.rfind('.') + 1);  // npos + 1 is 0
}

bool is_attention(std::string_view part) {
  return std::ranges::find(kAttentions, part) != kAttentions.end();
}

// "ln", "ln1", "ln_final", "bn2"; not "lnx".
bool starts_as_norm(std::string_view part) {
  if (!part.starts_with("ln") && !part.starts_with("bn")) return false;
  return part.size() == 2 || part[2] == '_' ||
         std::isdigit(static_cast<unsigned char>(part[2])) != 0;
}

}  // namespace

bool within_attention(std::string_view module) {
  for (;;) {
    const std::size_t dot = module.find('.');
    if (is_attention(module.substr(0, dot))) return true;
    if (dot == std::string_view::npos) return false;
    module.remove_prefix(dot + 1);
  }
}

bool is_normalisation(std::string_view module) {
  const std::string_view part = last_part(module);
  return part.find("norm") != std::string_view::npos || starts_as_norm(part) ||
         module.ends_with(kProjectionNorm);
}

OpKind kind_of_op(std::string_view name, std::string_view module) {
  const OpKind kind = kind_of_op(name);
  const bool plain =
      kind == OpKind::Elementwise || kind == OpKind::Reduction || kind == OpKind::Other;
  if (plain && is_normalisation(module)) return OpKind::Normalisation;
  const std::string_view part = last_part(module);
  const bool attends = is_attention(part) || part == kAttentionCore;
  return attends && (plain || kind == OpKind::Matmul) ? OpKind::Attention : kind;
}

}  // namespace ridgeline
