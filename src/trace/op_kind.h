#pragma once

#include <cstddef>
#include <string_view>

namespace ridgeline {

// What an op or a kernel is for, told from its name alone: traces carry nothing else.
enum class OpKind {
  Attention,
  Matmul,
  Convolution,
  Normalisation,
  Elementwise,
  Reduction,
  Optimizer,
  Copy,
  Embedding,
  Communication,
  Other
};
inline constexpr std::size_t kOpKinds = 11;

[[nodiscard]] std::string_view name_of(OpKind kind);

// Of an ATen op ("aten::addmm", "MulBackward0") or a kernel ("sm90_xmma_gemm_bf16...").
[[nodiscard]] OpKind kind_of_op(std::string_view name);

// Attention in one kernel: FlashAttention and its kin.
[[nodiscard]] bool is_fused_attention(std::string_view name);

// Kernels and ops that only move or reorder data into another layout.
[[nodiscard]] bool changes_layout(std::string_view name);

}  // namespace ridgeline
