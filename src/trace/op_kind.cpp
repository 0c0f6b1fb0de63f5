#include "trace/op_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

#include "trace/aten_kind.h"

namespace ridgeline {
namespace {

struct Mark {
  std::string_view part;  // of the name in lower case
  OpKind kind;
};

// Whatever else a name holds; record_param_comms is PyTorch's op around a collective.
constexpr std::array<std::string_view, 8> kCommunication{
    "nccl",  "rccl", "c10d::", "c10d_functional::", "allreduce", "record_param_comms",
    "gloo:", "mpi:"};

// Of kernels, of other people's ops and of those of PyTorch's that aten_kind.cpp does not list.
// Asked in this order, so the special comes before the general: a flash-attention kernel is also
// full of "gemm", an optimizer's of "add".
constexpr std::array kMarks{
    Mark{"optimizer.step", OpKind::Optimizer},
    Mark{"_fused_adam", OpKind::Optimizer},
    Mark{"fusedadam", OpKind::Optimizer},
    Mark{"_fused_sgd", OpKind::Optimizer},
    Mark{"fusedsgd", OpKind::Optimizer},
    // Norms of all gradients, by which they are clipped: no part of an optimizer.
    Mark{"lpnormfunctor", OpKind::Reduction},
    Mark{"l2normfunctor", OpKind::Reduction},
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
    Mark{"dot_kernel", OpKind::Matmul},
    Mark{"matmul", OpKind::Matmul},
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
    Mark{"catarray", OpKind::Copy},
    Mark{"transpose", OpKind::Copy},
    Mark{"distribution_", OpKind::Elementwise},  // of random numbers, "normal_and_transform" too
    Mark{"softmax", OpKind::Reduction},
    Mark{"nll_loss", OpKind::Reduction},
    Mark{"cross_entropy", OpKind::Reduction},
    Mark{"pool", OpKind::Reduction},
    Mark{"reduce", OpKind::Reduction},
    Mark{"norm", OpKind::Reduction},
    Mark{"elementwise", OpKind::Elementwise},
    Mark{"relu", OpKind::Elementwise},
    Mark{"gelu", OpKind::Elementwise},
    Mark{"silu", OpKind::Elementwise},
    Mark{"sigmoid", OpKind::Elementwise},
    Mark{"tanh", OpKind::Elementwise},
    Mark{"dropout", OpKind::Elementwise},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string without(std::string_view text, std::string_view word) {
  std::string rest;
  for (auto at = text.find(word); at != text.npos; at = text.find(word)) {
    rest += text.substr(0, at);
    text.remove_prefix(at + word.size());
  }
  return rest.append(text);
}

// What holds a mark and does not mean it: a library of embeddings, sparse features and products,
// whose name tells not which, and what converts and convolves nothing.
std::string without_lures(std::string_view text) {
  return without(without(text, "fbgemm"), "convert");
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
  const std::string text = without_lures(lower(name));
  const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (std::ranges::any_of(kCommunication, holds)) return OpKind::Communication;
  if (const auto kind = kind_of_inductor(name)) return *kind;
  if (const auto kind = kind_of_aten(name)) return *kind;
  const auto mark = std::ranges::find_if(kMarks, holds, &Mark::part);
  return mark == kMarks.end() ? OpKind::Other : mark->kind;
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
