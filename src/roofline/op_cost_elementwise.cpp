#include <algorithm>
#include <array>
#include <tuple>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// The type of the result: of those with dimensions the floating one that is widest.
std::string_view result_type(const std::vector<const OpInput*>& operands) {
  const OpInput* best = operands.front();
  const auto rank = [](const OpInput& input) {
    return std::tuple(is_floating(input.type), !input.sizes.empty(), width_of(input.type));
  };
  for (const OpInput* const operand : operands) {
    if (rank(*operand) > rank(*best)) best = operand;
  }
  return best->type;
}

// A complex product is four products and two sums, anything else is done to both parts.
double complex_factor(std::string_view type, std::string_view name) {
  if (!type.starts_with("Complex")) return 1;
  return name.starts_with("aten::mul") ? 6 : 2;
}

// Tensors as far as the op reads them; the one after the last is where the result goes (out=).
std::optional<OpWork> elementwise(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  std::vector<const OpInput*> operands;
  const OpInput* into = nullptr;
  for (const OpInput& input : call.inputs) {
    if (!input.is_tensor()) continue;
    if (operands.size() < model.operands) {
      operands.push_back(&input);
    } else if (into == nullptr) {
      into = &input;
    }
  }
  if (operands.empty()) return std::nullopt;
  const auto elements = broadcast_elements(operands);
  if (!elements) return std::nullopt;
  const std::string_view type = result_type(operands);
  double bytes = 0;
  for (const OpInput* const operand : operands) bytes += operand->bytes().count;
  const double written = into != nullptr   ? into->bytes().count
                         : call.in_place() ? operands.front()->bytes().count
                                           : *elements * width_of(type);
  return vector_work(type, model.weight * complex_factor(type, call.name) * *elements,
                     bytes + written);
}

// Comparisons write truth values.
std::optional<OpWork> comparison(const OpCall& call, const OpModel& model,
                                 const OpCostOptions& options) {
  auto work = elementwise(call, model, options);
  if (!work || call.in_place()) return work;
  const auto* const first = call.tensor(0);
  const auto* const second = call.tensor(1);
  std::vector<const OpInput*> operands;
  for (const OpInput* const operand : {first, second}) {
    if (operand != nullptr) operands.push_back(operand);
  }
  if (operands.empty()) return std::nullopt;
  double bytes = *broadcast_elements(operands);
  for (const OpInput* const operand : operands) bytes += operand->bytes().count;
  work->bytes = {bytes};
  return work;
}

constexpr OpModel unary(std::string_view name, double flop) {
  return {.name = name, .work = elementwise, .weight = flop, .operands = 1};
}
constexpr OpModel binary(std::string_view name, double flop) {
  return {.name = name, .work = elementwise, .weight = flop, .operands = 2};
}
constexpr OpModel ternary(std::string_view name, double flop) {
  return {.name = name, .work = elementwise, .weight = flop, .operands = 3};
}
constexpr OpModel compares(std::string_view name) {
  return {.name = name, .work = comparison, .weight = 0, .operands = 2};
}

// An operation of the formula is one FLOP, an exponential or root too; a comparison, a choice or a
// sign is none, as hardware counters count. sigmoid is 1 / (1 + exp(-x)): three.
constexpr std::array kModels{
    binary("aten::add", 1),
    binary("aten::sub", 1),
    binary("aten::rsub", 1),
    binary("aten::mul", 1),
    binary("aten::div", 1),
    binary("aten::pow", 1),
    binary("aten::maximum", 0),
    binary("aten::minimum", 0),
    binary("aten::threshold_backward", 0),
    binary("aten::masked_fill", 0),
    binary("aten::bitwise_and", 0),
    binary("aten::logical_and", 0),
    binary("aten::sigmoid_backward", 3),
    binary("aten::tanh_backward", 3),
    binary("aten::silu_backward", 8),
    binary("aten::gelu_backward", 14),
    ternary("aten::addcmul", 2),
    ternary("aten::addcdiv", 2),
    ternary("aten::lerp", 3),
    ternary("aten::where", 0),
    ternary("aten::_amp_update_scale", 1),
    unary("aten::neg", 0),
    unary("aten::abs", 0),
    unary("aten::sqrt", 1),
    unary("aten::rsqrt", 1),
    unary("aten::reciprocal", 1),
    unary("aten::exp", 1),
    unary("aten::log", 1),
    unary("aten::sin", 1),
    unary("aten::cos", 1),
    unary("aten::erf", 1),
    unary("aten::sigmoid", 3),
    unary("aten::tanh", 4),
    unary("aten::silu", 4),
    unary("aten::gelu", 5),
    unary("aten::clamp", 0),
    unary("aten::clamp_min", 0),
    unary("aten::clamp_max", 0),
    OpModel{.name = "aten::relu", .role = OpRole::Delegates, .work = elementwise},
    compares("aten::eq"),
    compares("aten::ne"),
    compares("aten::lt"),
    compares("aten::le"),
    compares("aten::gt"),
    compares("aten::ge"),
    OpModel{.name = "aten::logical_not", .work = comparison},
    OpModel{.name = "aten::isfinite", .role = OpRole::Delegates, .work = comparison},
};

}  // namespace

std::span<const OpModel> elementwise_models() { return kModels; }

}  // namespace ridgeline
