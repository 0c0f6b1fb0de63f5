#include "trace/aten_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>
#include <unordered_map>

namespace ridgeline {
namespace {

struct Ops {
  OpKind kind;
  std::string_view names;  // as PyTorch writes them, without a trailing underscore
};

// What does not stand here is told by parts of its name (op_kind.cpp): attentions, convolutions,
// normalisations, poolings, copies and activations are many and named after what they are.
constexpr std::array kOps{
    Ops{OpKind::Matmul,
        "mm bmm addmm baddbmm addbmm addmv addr mv dot vdot inner outer ger matmul linear einsum "
        "tensordot bilinear _trilinear kron chain_matmul multi_dot linalg_matmul linalg_multi_dot "
        "linalg_vecdot _addmm_activation _int_mm _scaled_mm _scaled_grouped_mm _grouped_mm "
        "_weight_int4pack_mm _weight_int8pack_mm sparse_mm _sparse_mm sspaddmm hspmm "
        "mkldnn_linear _mkl_linear _linear_pointwise linear_relu linear_dynamic "
        "linear_dynamic_fp16"},
    // Losses of each element: the mean of them is an op of its own. Filling with random numbers is
    // work on each element, like filling with a constant.
    Ops{OpKind::Elementwise,
        "add sub mul div rsub subtract multiply divide true_divide floor_divide remainder fmod "
        "addcmul addcdiv _add_relu neg negative abs absolute sign sgn pow float_power square sqrt "
        "rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 "
        "sinh cosh asinh acosh atanh erf erfc erfinv floor ceil round trunc frac where "
        "masked_fill fill zero zeros ones full zeros_like ones_like full_like threshold clamp "
        "clamp_min clamp_max clip hardtanh softplus mish maximum minimum fmax fmin eq ne lt le gt "
        "ge logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_not "
        "bitwise_xor lerp hypot isnan isinf isfinite isclose nan_to_num heaviside xlogy sigmoid "
        "tanh lgamma digamma elu celu tril triu normal normal_functional uniform random bernoulli "
        "exponential geometric log_normal cauchy rand randn randint rand_like randn_like "
        "randint_like dropout native_dropout _fused_dropout glu mse_loss l1_loss smooth_l1_loss "
        "huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div"},
    Ops{OpKind::Reduction,
        "sum nansum mean nanmean prod max min amax amin aminmax argmax argmin std var std_mean "
        "var_mean any all count_nonzero median nanmedian mode logsumexp logaddexp cumsum cumprod "
        "cummax cummin logcumsumexp topk sort argsort kthvalue histc bincount unique unique2 "
        "_unique2 norm _foreach_norm _foreach_max linalg_norm linalg_vector_norm "
        "linalg_matrix_norm frobenius_norm dist cdist _cdist trace sum_to_size renorm "
        "cosine_similarity softmax _softmax log_softmax _log_softmax _safe_softmax nll_loss "
        "nll_loss2d nll_loss_nd cross_entropy_loss ctc_loss"},
    Ops{OpKind::Normalisation,
        "_weight_norm _weight_norm_interface instance_norm local_response_norm"},
    Ops{OpKind::Optimizer, "_fused_adam _fused_adamw _fused_sgd _fused_adagrad _amp_update_scale"},
    // They copy where a view cannot serve, and nothing is seen of that inside them.
    Ops{OpKind::Copy,
        "to _to_copy convert_element_type type_as copy clone contiguous reshape flatten ravel cat "
        "concat concatenate stack hstack vstack dstack repeat repeat_interleave roll flip "
        "constant_pad_nd pad"},
    Ops{OpKind::Embedding, "embedding embedding_bag _embedding_bag index_select"},
    // Views, shapes and memory: no work on any element; and drawing samples, which is of no kind.
    Ops{OpKind::Other,
        "expand expand_as view view_as _unsafe_view _reshape_alias as_strided t transpose permute "
        "mt adjoint swapaxes swapdims movedim moveaxis select slice narrow split split_with_sizes "
        "chunk tensor_split unbind unflatten squeeze unsqueeze unfold diagonal alias detach "
        "lift_fresh conj _conj resolve_conj resolve_neg broadcast_to broadcast_tensors meshgrid "
        "empty empty_like empty_strided new_empty new_empty_strided resize set item "
        "_local_scalar_dense is_nonzero result_type multinomial _sample_dirichlet poisson"},
};

// Nodes of autograd are written without underscores ("NllLossBackward0"), and an underscore at the
// end says "in place": none is needed to tell names apart.
std::string bare(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

const std::unordered_map<std::string, OpKind>& table() {
  static const auto kTable = [] {
    std::unordered_map<std::string, OpKind> made;
    for (const Ops& ops : kOps) {
      for (std::string_view rest = ops.names; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        made.emplace(bare(rest.substr(0, end)), ops.kind);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return made;
  }();
  return kTable;
}

std::optional<OpKind> known(const std::string& op) {
  const auto found = table().find(op);
  return found == table().end() ? std::nullopt : std::optional(found->second);
}

// "aten::add_.Tensor" is "add_": empty where it is an op of no library of PyTorch's.
std::string_view base_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kLibraries{
      "aten::", "prims::", "mkldnn::", "mkl::", "quantized::", "_quantized::"};
  for (const std::string_view library : kLibraries) {
    if (!name.starts_with(library)) continue;
    name.remove_prefix(library.size());
    return name.substr(0, name.find('.'));
  }
  return {};
}

// What autograd's engine writes around each node.
constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";

// "MulBackward0" is "Mul": empty where it is no node.
std::string_view node_name(std::string_view name) {
  constexpr std::string_view kBackward = "Backward";
  if (name.starts_with(kEngine)) name.remove_prefix(kEngine.size());
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos) return {};
  name = name.substr(0, end + 1);
  return name.ends_with(kBackward) ? name.substr(0, name.size() - kBackward.size())
                                   : std::string_view();
}

}  // namespace

std::optional<OpKind> kind_of_aten(std::string_view name) {
  const std::string_view base = base_name(name);
  std::string op = bare(base.empty() ? node_name(name) : base);
  if (op.empty()) return std::nullopt;
  if (const auto kind = known(op)) return kind;
  for (const std::string_view pass : {"backwarddata", "backward", "forward"}) {
    if (!op.ends_with(pass)) continue;
    return known(op.substr(0, op.size() - pass.size()));
  }
  return std::nullopt;
}

bool is_autograd_node(std::string_view name) {
  return name.starts_with(kEngine) || !node_name(name).empty();
}

std::optional<OpKind> kind_of_inductor(std::string_view name) {
  constexpr std::string_view kFused = "fused_";
  if (!name.starts_with("triton_")) return std::nullopt;
  name.remove_prefix(std::string_view("triton_").size());
  const auto holds = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return name.find(part) != name.npos; });
  };
  if (name.starts_with("tem_"))
    return holds({"attention"})     ? OpKind::Attention
           : holds({"convolution"}) ? OpKind::Convolution
           : holds({"mm"})          ? OpKind::Matmul
                                    : OpKind::Other;
  if (name.starts_with("for_")) return OpKind::Optimizer;  // of a list of tensors at once
  if (name.starts_with("red_") || name.starts_with("per_") || name.starts_with("spl_"))
    return holds({"layer_norm", "batch_norm", "group_norm", "rms_norm"}) ? OpKind::Normalisation
                                                                         : OpKind::Reduction;
  if (!name.starts_with("poi_")) return std::nullopt;
  // One that does nothing but copy or convert is no arithmetic.
  const std::size_t fused = name.find(kFused);
  if (fused == std::string_view::npos) return OpKind::Elementwise;
  std::string_view op = name.substr(fused + kFused.size());
  op = op.substr(0, op.find_last_not_of("0123456789_") + 1);
  return known(bare(op)) == OpKind::Copy ? OpKind::Copy : OpKind::Elementwise;
}

}  // namespace ridgeline
