#include "trace/op_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

namespace ridgeline {
namespace {

struct Mark {
  std::string_view part;  // of the name in lower case
  OpKind kind;
};

// Asked in this order, so the special comes before the general: a flash-attention kernel is also
// full of "gemm", an optimizer's of "add".
constexpr std::array kMarks{
    Mark{"nccl", OpKind::Communication},
    Mark{"rccl", OpKind::Communication},
    Mark{"c10d::", OpKind::Communication},
    Mark{"allreduce", OpKind::Communication},
    Mark{"record_param_comms", OpKind::Communication},  // PyTorch's op around a collective
    Mark{"gloo:", OpKind::Communication},
    Mark{"mpi:", OpKind::Communication},
    Mark{"optimizer.step", OpKind::Optimizer},
    Mark{"_fused_adam", OpKind::Optimizer},
    Mark{"fusedadam", OpKind::Optimizer},
    Mark{"_fused_sgd", OpKind::Optimizer},
    Mark{"fusedsgd", OpKind::Optimizer},
    Mark{"multi_tensor_apply", OpKind::Optimizer},
    Mark{"_foreach_", OpKind::Optimizer},
    Mark{"scaled_dot_product", OpKind::Attention},
    Mark{"scaleddotproduct", OpKind::Attention},
    Mark{"flash", OpKind::Attention},
    Mark{"fmha", OpKind::Attention},
    Mark{"mha_", OpKind::Attention},
    Mark{"attention", OpKind::Attention},
    Mark{"nchwtonhwc", OpKind::Copy},
    Mark{"nhwctonchw", OpKind::Copy},
    Mark{"conv", OpKind::Convolution},
    Mark{"fprop", OpKind::Convolution},
    Mark{"dgrad", OpKind::Convolution},
    Mark{"wgrad", OpKind::Convolution},
    Mark{"winograd", OpKind::Convolution},
    Mark{"im2col", OpKind::Convolution},
    Mark{"cask_cudnn", OpKind::Convolution},
    Mark{"cutlass_cudnn", OpKind::Convolution},
    Mark{"scudnn_", OpKind::Convolution},  // cuDNN's own products are all of convolutions
    Mark{"hcudnn_", OpKind::Convolution},
    Mark{"4cudnn_", OpKind::Convolution},  // "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_…"
    Mark{"8cudnn_", OpKind::Convolution},
    Mark{"6cudnn_", OpKind::Convolution},
    Mark{"batch_norm", OpKind::Normalisation},
    Mark{"batchnorm", OpKind::Normalisation},
    Mark{"bn_fw", OpKind::Normalisation},
    Mark{"bn_bw", OpKind::Normalisation},
    Mark{"layer_norm", OpKind::Normalisation},
    Mark{"layernorm", OpKind::Normalisation},
    Mark{"rms_norm", OpKind::Normalisation},
    Mark{"rmsnorm", OpKind::Normalisation},
    Mark{"group_norm", OpKind::Normalisation},
    Mark{"groupnorm", OpKind::Normalisation},
    Mark{"gemm", OpKind::Matmul},
    Mark{"gemv", OpKind::Matmul},
    Mark{"cutlass", OpKind::Matmul},
    Mark{"nvjet", OpKind::Matmul},
    Mark{"cijk_", OpKind::Matmul},  // AMD's Tensile
    Mark{"splitkreduce", OpKind::Matmul},
    Mark{"aten::mm", OpKind::Matmul},
    Mark{"aten::bmm", OpKind::Matmul},
    Mark{"aten::addmm", OpKind::Matmul},
    Mark{"aten::baddbmm", OpKind::Matmul},
    Mark{"aten::matmul", OpKind::Matmul},
    Mark{"aten::linear", OpKind::Matmul},
    Mark{"aten::einsum", OpKind::Matmul},
    Mark{"mmbackward", OpKind::Matmul},
    Mark{"linearbackward", OpKind::Matmul},
    Mark{"embedding", OpKind::Embedding},
    Mark{"index_select", OpKind::Embedding},
    Mark{"indexselect", OpKind::Embedding},
    Mark{"memcpy", OpKind::Copy},
    Mark{"memset", OpKind::Copy},
    Mark{"copy", OpKind::Copy},
    Mark{"contiguous", OpKind::Copy},
    Mark{"clone", OpKind::Copy},
    Mark{"aten::topk", OpKind::Reduction},
    Mark{"aten::to", OpKind::Copy},
    // They copy where a view cannot serve, and nothing is seen of that inside them.
    Mark{"aten::reshape", OpKind::Copy},
    Mark{"aten::flatten", OpKind::Copy},
    Mark{"aten::cat", OpKind::Copy},
    Mark{"catarray", OpKind::Copy},
    // A view; a kernel of that name does move data, and aten::transpose_copy is told above.
    Mark{"aten::transpose", OpKind::Other},
    Mark{"transposebackward", OpKind::Other},
    Mark{"transpose", OpKind::Copy},
    Mark{"softmax", OpKind::Reduction},
    Mark{"nll_loss", OpKind::Reduction},
    Mark{"cross_entropy", OpKind::Reduction},
    Mark{"aten::sum", OpKind::Reduction},
    Mark{"aten::mean", OpKind::Reduction},
    Mark{"aten::max_pool", OpKind::Reduction},
    Mark{"aten::avg_pool", OpKind::Reduction},
    Mark{"aten::adaptive_avg", OpKind::Reduction},
    Mark{"pool", OpKind::Reduction},
    Mark{"reduce", OpKind::Reduction},
    Mark{"norm", OpKind::Reduction},
    Mark{"elementwise", OpKind::Elementwise},
    Mark{"aten::add", OpKind::Elementwise},
    Mark{"aten::sub", OpKind::Elementwise},
    Mark{"aten::mul", OpKind::Elementwise},
    Mark{"aten::div", OpKind::Elementwise},
    Mark{"aten::neg", OpKind::Elementwise},
    Mark{"aten::pow", OpKind::Elementwise},
    Mark{"aten::sqrt", OpKind::Elementwise},
    Mark{"aten::rsqrt", OpKind::Elementwise},
    Mark{"aten::exp", OpKind::Elementwise},
    Mark{"aten::where", OpKind::Elementwise},
    Mark{"aten::masked_fill", OpKind::Elementwise},
    Mark{"aten::fill_", OpKind::Elementwise},
    Mark{"aten::zero_", OpKind::Elementwise},
    Mark{"aten::threshold", OpKind::Elementwise},
    Mark{"aten::clamp", OpKind::Elementwise},
    Mark{"relu", OpKind::Elementwise},
    Mark{"gelu", OpKind::Elementwise},
    Mark{"silu", OpKind::Elementwise},
    Mark{"sigmoid", OpKind::Elementwise},
    Mark{"tanh", OpKind::Elementwise},
    Mark{"dropout", OpKind::Elementwise},
    Mark{"addbackward", OpKind::Elementwise},
    Mark{"subbackward", OpKind::Elementwise},
    Mark{"mulbackward", OpKind::Elementwise},
    Mark{"divbackward", OpKind::Elementwise},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// A library of embeddings, sparse features and products: its name tells not which.
std::string without_library(std::string_view text) {
  constexpr std::string_view kLibrary = "fbgemm";
  std::string rest;
  for (auto at = text.find(kLibrary); at != text.npos; at = text.find(kLibrary)) {
    rest += text.substr(0, at);
    text.remove_prefix(at + kLibrary.size());
  }
  return rest.append(text);
}

bool contains_any(std::string_view name, std::initializer_list<std::string_view> parts) {
  const std::string text = lower(name);
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

}  // namespace

std::string_view name_of(OpKind kind) {
  static constexpr std::array<std::string_view, kOpKinds> kNames{
      "attention", "matrix products", "convolution", "normalisation", "elementwise", "reductions",
      "optimizer", "copies",          "embedding",   "communication", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

OpKind kind_of_op(std::string_view name) {
  const std::string text = without_library(lower(name));
  for (const Mark& mark : kMarks) {
    if (text.find(mark.part) != std::string::npos) return mark.kind;
  }
  return OpKind::Other;
}

bool is_fused_attention(std::string_view name) {
  return contains_any(name, {"flash_attention", "flash_fwd", "flash_bwd", "efficient_attention",
                             "cudnn_attention", "fmha"});
}

bool changes_layout(std::string_view name) {
  if (contains_any(name, {"nchwtonhwc", "nhwctonchw", "contiguous", "aten::clone"})) return true;
  return contains_any(name, {"transpose"}) && kind_of_op(name) == OpKind::Copy;
}

}  // namespace ridgeline
