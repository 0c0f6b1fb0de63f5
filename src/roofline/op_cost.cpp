#include "roofline/op_cost.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// Views, allocations, questions about tensors, and bookkeeping: they move no numbers.
constexpr std::array<std::string_view, 63> kNothing{"aten::_conj",
                                                    "aten::_nnpack_available",
                                                    "aten::_local_scalar_dense",
                                                    "aten::_reshape_alias",
                                                    "aten::_unsafe_view",
                                                    "aten::_version",
                                                    "aten::alias",
                                                    "aten::as_strided",
                                                    "aten::as_strided_",
                                                    "aten::broadcast_tensors",
                                                    "aten::chunk",
                                                    "aten::conj",
                                                    "aten::data",
                                                    "aten::detach",
                                                    "aten::detach_",
                                                    "aten::diagonal",
                                                    "aten::empty",
                                                    "aten::empty_like",
                                                    "aten::empty_strided",
                                                    "aten::expand",
                                                    "aten::expand_as",
                                                    "aten::flatten",
                                                    "aten::is_contiguous",
                                                    "aten::is_nonzero",
                                                    "aten::is_pinned",
                                                    "aten::item",
                                                    "aten::lift_fresh",
                                                    "aten::movedim",
                                                    "aten::narrow",
                                                    "aten::new_empty",
                                                    "aten::new_empty_strided",
                                                    "aten::numel",
                                                    "aten::permute",
                                                    "aten::promote_types",
                                                    "aten::record_stream",
                                                    "aten::requires_grad_",
                                                    "aten::resize_",
                                                    "aten::resolve_conj",
                                                    "aten::resolve_neg",
                                                    "aten::result_type",
                                                    "aten::select",
                                                    "aten::set_",
                                                    "aten::set_data",
                                                    "aten::size",
                                                    "aten::slice",
                                                    "aten::split",
                                                    "aten::split_with_sizes",
                                                    "aten::squeeze",
                                                    "aten::squeeze_",
                                                    "aten::stride",
                                                    "aten::t",
                                                    "aten::transpose",
                                                    "aten::transpose_",
                                                    "aten::unbind",
                                                    "aten::unflatten",
                                                    "aten::unsafe_split",
                                                    "aten::unsqueeze",
                                                    "aten::unsqueeze_",
                                                    "aten::view",
                                                    "aten::view_as",
                                                    "aten::view_as_complex",
                                                    "aten::view_as_real",
                                                    "detach"};

// They only call others, and have no arithmetic of their own to state.
constexpr std::array<std::string_view, 36> kWrappers{"aten::_autocast_to_full_precision",
                                                     "aten::_autocast_to_reduced_precision",
                                                     "aten::_batch_norm_impl_index",
                                                     "aten::_batch_norm_impl_index_backward",
                                                     "aten::_to_copy",
                                                     "aten::adaptive_avg_pool2d",
                                                     "aten::batch_norm",
                                                     "aten::clone",
                                                     "aten::constant_pad_nd",
                                                     "aten::contiguous",
                                                     "aten::cross_entropy_loss",
                                                     "aten::embedding_backward",
                                                     "aten::full",
                                                     "aten::full_like",
                                                     "aten::layer_norm",
                                                     "aten::log_softmax",
                                                     "aten::max_pool2d",
                                                     "aten::new_zeros",
                                                     "aten::nll_loss",
                                                     "aten::nll_loss_nd",
                                                     "aten::ones",
                                                     "aten::ones_like",
                                                     "aten::pad",
                                                     "aten::repeat",
                                                     "aten::reshape",
                                                     "aten::rms_norm",
                                                     "aten::scalar_tensor",
                                                     "aten::select_backward",
                                                     "aten::slice_backward",
                                                     "aten::softmax",
                                                     "aten::square",
                                                     "aten::to",
                                                     "aten::type_as",
                                                     "aten::einsum",
                                                     "aten::zeros",
                                                     "aten::zeros_like"};

using Models = std::unordered_map<std::string_view, const OpModel*>;

const Models& models() {
  static const Models kModels = [] {
    Models all;
    for (const auto family :
         {product_models(), convolution_models(), attention_models(), normalisation_models(),
          elementwise_models(), reduction_models(), movement_models(), optimizer_models()}) {
      for (const OpModel& model : family) all.emplace(model.name, &model);
    }
    return all;
  }();
  return kModels;
}

// "aten::add_" is "aten::add" in place.
const OpModel* model_of(std::string_view name) {
  if (const auto found = models().find(name); found != models().end()) return found->second;
  if (!name.ends_with('_')) return nullptr;
  const auto found = models().find(name.substr(0, name.size() - 1));
  return found == models().end() ? nullptr : found->second;
}

bool does_nothing(std::string_view name) {
  static const std::unordered_set<std::string_view> kNames = [] {
    std::unordered_set<std::string_view> names(kNothing.begin(), kNothing.end());
    names.insert(kWrappers.begin(), kWrappers.end());
    return names;
  }();
  return kNames.contains(name);
}

}  // namespace

Flop OpWork::total_flop() const {
  Flop total{};
  for (const Flop part : flop) total = total + part;
  return total;
}

OpRole role_of_op(std::string_view name) {
  if (does_nothing(name)) return OpRole::Nothing;
  const OpModel* const model = model_of(name);
  return model == nullptr ? OpRole::Unknown : model->role;
}

std::optional<OpWork> op_work(const OpCall& call, const OpCostOptions& options) {
  const OpModel* const model = model_of(call.name);
  if (model == nullptr) return std::nullopt;
  return model->work(call, *model, options);
}

std::vector<std::string_view> modelled_ops() {
  std::vector<std::string_view> names;
  for (const auto& [name, model] : models()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

ComputePath product_path(std::string_view type, const OpCostOptions& options) {
  if (type == "BFloat16") return ComputePath::TensorBf16;
  if (type == "Half") return ComputePath::TensorFp16;
  if (type.starts_with("Float8")) return ComputePath::TensorFp8;
  if (type == "Char" || type == "Byte") return ComputePath::TensorInt8;
  if (type == "Double" || type == "ComplexDouble") return ComputePath::Fp64;
  return options.tf32 ? ComputePath::TensorTf32 : ComputePath::Fp32;
}

ComputePath vector_path(std::string_view type) {
  return type == "Double" || type == "ComplexDouble" ? ComputePath::Fp64 : ComputePath::Fp32;
}

OpWork product_work(std::string_view type, double flop, double bytes,
                    const OpCostOptions& options) {
  OpWork work{.bytes = {bytes}};
  work.flop[index_of(product_path(type, options))] = {flop};
  return work;
}

OpWork vector_work(std::string_view type, double flop, double bytes) {
  OpWork work{.bytes = {bytes}};
  work.flop[index_of(vector_path(type))] = {flop};
  return work;
}

std::optional<double> broadcast_elements(const std::vector<const OpInput*>& operands) {
  std::vector<std::int64_t> result;  // from the last dimension to the first
  for (const OpInput* const operand : operands) {
    const auto& sizes = operand->sizes;
    if (sizes.size() > result.size()) result.resize(sizes.size(), 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t size = sizes[sizes.size() - 1 - i];
      std::int64_t& into = result[i];
      if (size == into || size == 1) continue;
      if (into != 1) return std::nullopt;
      into = size;
    }
  }
  double elements = 1;
  for (const std::int64_t size : result) elements *= static_cast<double>(size);
  return elements;
}

}  // namespace ridgeline
