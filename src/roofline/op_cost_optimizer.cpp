#include <array>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// By number that is updated, as src/models/cost.cpp counts them: AdamW decays (2), averages the
// gradient (3) and its square (4), takes root, quotient and sum (3) and steps (3); SGD decays (2),
// averages (2), steps (2).
constexpr double kAdamFlop = 15;
constexpr double kSgdFlop = 6;
// The same as torch's fused kernels execute it, quotients and root written out: counted on an H200
// over 128 and 11 million numbers, 41.16 and 9.00 each.
constexpr double kAdamFlopOnGpu = 41;
constexpr double kSgdFlopOnGpu = 9;

const OpInput* list(const OpCall& call, std::size_t place) {
  if (place >= call.inputs.size() || call.inputs[place].what != OpInput::What::TensorList)
    return nullptr;
  return &call.inputs[place];
}

// (parameters, gradients, states...): gradients are read, all others read and written. `operands`
// counts the lists.
template <double kFlopOnGpu>
std::optional<OpWork> update(const OpCall& call, const OpModel& model,
                             const OpCostOptions& options) {
  const OpInput* const parameters = list(call, 0);
  if (parameters == nullptr) return std::nullopt;
  double bytes = 0;
  for (std::size_t i = 0; i < model.operands; ++i) {
    const OpInput* const one = list(call, i);
    if (one == nullptr) return std::nullopt;
    bytes += (i == 1 ? 1 : 2) * one->bytes().count;
  }
  const double flop = options.on_gpu ? kFlopOnGpu : model.weight;
  return vector_work("Float", flop * parameters->elements(), bytes);
}

// All lists are read; the result is as large as the first, in place or not.
std::optional<OpWork> over_lists(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  const OpInput* const first = list(call, 0);
  if (first == nullptr) return std::nullopt;
  double bytes = first->bytes().count;
  for (const OpInput& input : call.inputs) {
    if (input.what == OpInput::What::TensorList) bytes += input.bytes().count;
  }
  return vector_work("Float", model.weight * first->elements(), bytes);
}

// Every list passes once: a copy reads one and writes the other, norms leave a number a tensor.
std::optional<OpWork> lists_once(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  const OpInput* const first = list(call, 0);
  if (first == nullptr) return std::nullopt;
  double bytes = 0;
  for (const OpInput& input : call.inputs) {
    if (input.what == OpInput::What::TensorList) bytes += input.bytes().count;
  }
  return vector_work("Float", model.weight * first->elements(), bytes);
}

// Only written.
std::optional<OpWork> foreach_zero(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const first = list(call, 0);
  if (first == nullptr) return std::nullopt;
  return vector_work("Float", 0, first->bytes().count);
}

// On a CPU one op a tensor does the work, and counts then.
constexpr OpModel each(std::string_view name, double flop) {
  return {.name = name, .role = OpRole::Delegates, .work = over_lists, .weight = flop};
}

constexpr std::array kModels{
    OpModel{.name = "aten::_fused_adamw_",
            .work = update<kAdamFlopOnGpu>,
            .weight = kAdamFlop,
            .operands = 4},
    OpModel{.name = "aten::_fused_adam_",
            .work = update<kAdamFlopOnGpu>,
            .weight = kAdamFlop,
            .operands = 4},
    OpModel{.name = "aten::_fused_sgd_",
            .work = update<kSgdFlopOnGpu>,
            .weight = kSgdFlop,
            .operands = 3},
    each("aten::_foreach_add", 1),
    each("aten::_foreach_sub", 1),
    each("aten::_foreach_mul", 1),
    each("aten::_foreach_div", 1),
    each("aten::_foreach_sqrt", 1),
    each("aten::_foreach_lerp", 3),
    each("aten::_foreach_addcmul", 2),
    each("aten::_foreach_addcdiv", 2),
    OpModel{
        .name = "aten::_foreach_norm", .role = OpRole::Delegates, .work = lists_once, .weight = 2},
    OpModel{.name = "aten::_foreach_copy", .role = OpRole::Delegates, .work = lists_once},
    each("aten::_amp_foreach_non_finite_check_and_unscale", 1),
    OpModel{.name = "aten::_foreach_zero", .role = OpRole::Delegates, .work = foreach_zero},
};

}  // namespace

std::span<const OpModel> optimizer_models() { return kModels; }

}  // namespace ridgeline
