#include <algorithm>
#include <array>
#include <set>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

constexpr double kIndex = 8;  // bytes of an int64: targets, places of maxima

// Elements that are left when these dimensions are reduced; all when none are named.
std::optional<double> left_over(const OpInput& x, const std::vector<std::int64_t>* dimensions) {
  if (dimensions == nullptr || dimensions->empty()) return 1;
  const auto count = static_cast<std::int64_t>(x.sizes.size());
  std::set<std::int64_t> reduced;
  for (const std::int64_t dimension : *dimensions) {
    const std::int64_t place = dimension < 0 ? dimension + count : dimension;
    if (place < 0 || place >= std::max<std::int64_t>(count, 1)) return std::nullopt;
    reduced.insert(place);
  }
  double elements = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!reduced.contains(i)) elements *= static_cast<double>(x.sizes[static_cast<std::size_t>(i)]);
  }
  return elements;
}

// (x, dimensions, ...): `weight` FLOPs an element that is read.
std::optional<OpWork> reduction(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  const OpInput* const x = call.tensor(0);
  if (x == nullptr) return std::nullopt;
  const auto left = left_over(*x, call.list(1));
  if (!left) return std::nullopt;
  const double width = is_floating(x->type) ? width_of(x->type) : kIndex;
  return vector_work(x->type, model.weight * x->elements(), x->bytes().count + *left * width);
}

// Of one tensor, another of its size.
std::optional<OpWork> along(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  double bytes = 0;
  for (std::size_t i = 0; i < model.operands; ++i) {
    const OpInput* const input = call.tensor(i);
    if (input == nullptr) return std::nullopt;
    bytes += input->bytes().count;
  }
  const OpInput& first = *call.tensor(0);
  return vector_work(first.type, model.weight * first.elements(), bytes + first.bytes().count);
}

// (x, target, ...): a number of each row is picked and added up.
std::optional<OpWork> nll(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const x = call.tensor(0);
  const OpInput* const target = call.tensor(1);
  if (x == nullptr || target == nullptr) return std::nullopt;
  return vector_work(x->type, target->elements(),
                     target->bytes().count + (target->elements() + 2) * width_of(x->type));
}

// (grad, x, target, ...): a gradient of x's size that is zero but for a number a row.
std::optional<OpWork> nll_backward(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const x = call.tensor(1);
  const OpInput* const target = call.tensor(2);
  if (x == nullptr || target == nullptr) return std::nullopt;
  return vector_work(x->type, 0, x->bytes().count + target->bytes().count);
}

// The size of a pooled map along each dimension of space; absent when the call is not like that.
std::optional<double> pooled_elements(const OpCall& call) {
  const OpInput* const x = call.tensor(0);
  const auto* const kernel = call.list(1);
  const auto* stride = call.list(2);
  const auto* const padding = call.list(3);
  const auto ceil = call.number(call.list(4) != nullptr ? 5 : 4);
  if (x == nullptr || x->sizes.size() < 3 || kernel == nullptr || kernel->empty() ||
      stride == nullptr || padding == nullptr || padding->empty())
    return std::nullopt;
  if (stride->empty()) stride = kernel;
  const auto of = [](const std::vector<std::int64_t>& list, std::size_t i) {
    return list[std::min(i, list.size() - 1)];
  };
  double elements = x->elements();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = x->sizes[x->sizes.size() - 2 + i];
    const std::int64_t step = of(*stride, i);
    const std::int64_t room = size + 2 * of(*padding, i) - of(*kernel, i);
    if (step <= 0 || room < 0 || size == 0) return std::nullopt;
    const std::int64_t extra = ceil.value_or(0) != 0 ? step - 1 : 0;
    elements *= static_cast<double>((room + extra) / step + 1) / static_cast<double>(size);
  }
  return elements;
}

// Comparisons are no FLOPs; the places of the maxima are written too.
std::optional<OpWork> max_pool(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const auto pooled = pooled_elements(call);
  if (!pooled) return std::nullopt;
  const OpInput& x = *call.tensor(0);
  return vector_work(x.type, 0, x.bytes().count + *pooled * (width_of(x.type) + kIndex));
}

std::optional<OpWork> avg_pool(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const auto pooled = pooled_elements(call);
  const auto* const kernel = call.list(1);
  if (!pooled) return std::nullopt;
  const OpInput& x = *call.tensor(0);
  const double area = static_cast<double>(kernel->front() * kernel->back());
  return vector_work(x.type, *pooled * area, x.bytes().count + *pooled * width_of(x.type));
}

// (grad, x, ...): the gradient is spread over a tensor of x's size; what else comes (places of
// maxima) is read.
std::optional<OpWork> pool_backward(const OpCall& call, const OpModel& model,
                                    const OpCostOptions&) {
  const OpInput* const gradient = call.tensor(0);
  const OpInput* const x = call.tensor(1);
  if (gradient == nullptr || x == nullptr) return std::nullopt;
  double bytes = gradient->bytes().count + x->bytes().count;
  if (const OpInput* const places = call.tensor(7)) bytes += places->bytes().count;
  return vector_work(x->type, model.weight * gradient->elements(), bytes);
}

// (x, output_size)
std::optional<OpWork> adaptive_pool(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const x = call.tensor(0);
  const auto* const size = call.list(1);
  if (x == nullptr || size == nullptr || size->size() != 2 || x->sizes.size() < 3)
    return std::nullopt;
  double maps = 1;
  for (std::size_t i = 0; i + 2 < x->sizes.size(); ++i) maps *= static_cast<double>(x->sizes[i]);
  const double results = maps * static_cast<double>((*size)[0] * (*size)[1]);
  return vector_work(x->type, x->elements(), x->bytes().count + results * width_of(x->type));
}

constexpr std::array kModels{
    OpModel{.name = "aten::sum", .work = reduction, .weight = 1},
    OpModel{.name = "aten::mean", .role = OpRole::Delegates, .work = reduction, .weight = 1},
    OpModel{.name = "aten::var", .work = reduction, .weight = 4},
    OpModel{.name = "aten::amax", .work = reduction},
    OpModel{.name = "aten::max", .work = reduction},
    OpModel{.name = "aten::argmax", .work = reduction},
    OpModel{.name = "aten::all", .work = reduction},
    OpModel{.name = "aten::any", .work = reduction},
    OpModel{.name = "aten::norm", .role = OpRole::Delegates, .work = reduction, .weight = 2},
    OpModel{.name = "aten::linalg_vector_norm", .work = reduction, .weight = 2},
    // Difference, exponential, sum, and a difference or quotient; their gradients as many.
    OpModel{.name = "aten::_log_softmax", .work = along, .weight = 4},
    OpModel{.name = "aten::_softmax", .work = along, .weight = 4},
    OpModel{.name = "aten::_log_softmax_backward_data", .work = along, .weight = 4, .operands = 2},
    OpModel{.name = "aten::_softmax_backward_data", .work = along, .weight = 4, .operands = 2},
    OpModel{.name = "aten::nll_loss_forward", .work = nll},
    OpModel{.name = "aten::nll_loss_backward", .work = nll_backward},
    OpModel{.name = "aten::max_pool2d_with_indices", .work = max_pool},
    OpModel{.name = "aten::max_pool2d_with_indices_backward", .work = pool_backward, .weight = 1},
    OpModel{.name = "aten::avg_pool2d", .work = avg_pool},
    OpModel{.name = "aten::avg_pool2d_backward", .work = pool_backward, .weight = 1},
    OpModel{.name = "aten::_adaptive_avg_pool2d", .work = adaptive_pool},
    OpModel{.name = "aten::_adaptive_avg_pool2d_backward", .work = pool_backward, .weight = 1},
};

}  // namespace

std::span<const OpModel> reduction_models() { return kModels; }

}  // namespace ridgeline
