#include <array>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// FLOPs an element. Forward: a sum, a sum of squared distances (3), scale and shift (2). Backward:
// two sums (1 and 3), then distance, two products, two differences. Without the mean and the shift
// it is RMSNorm.
constexpr double kForward = 6;
constexpr double kBackward = 9;
constexpr double kRmsForward = 4;
constexpr double kRmsBackward = 8;

// x first; parameters and statistics of a channel or row are small, but read or written like all.
std::optional<OpWork> forward(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  const OpInput* const x = call.tensor(0);
  if (x == nullptr) return std::nullopt;
  double bytes = 2 * x->bytes().count;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) bytes += call.inputs[i].bytes().count;
  return vector_work(x->type, model.weight * x->elements(), bytes);
}

// The gradient and x, in either order, and then what the forward saved; x's gradient is written.
std::optional<OpWork> backward(const OpCall& call, const OpModel& model, const OpCostOptions&) {
  const OpInput* const gradient = call.tensor(0);
  const OpInput* const x = call.tensor(1);
  if (gradient == nullptr || x == nullptr) return std::nullopt;
  double bytes = gradient->bytes().count + 2 * x->bytes().count;
  for (std::size_t i = 2; i < call.inputs.size(); ++i) {
    // cuDNN's reserve is its own affair and mostly empty.
    if (call.inputs[i].is_tensor()) bytes += call.inputs[i].bytes().count;
  }
  return vector_work(x->type, model.weight * x->elements(), bytes);
}

constexpr std::array kModels{
    OpModel{.name = "aten::native_batch_norm", .work = forward, .weight = kForward},
    OpModel{.name = "aten::cudnn_batch_norm", .work = forward, .weight = kForward},
    OpModel{.name = "aten::_batch_norm_with_update",
            .role = OpRole::Delegates,
            .work = forward,
            .weight = kForward},
    OpModel{.name = "aten::native_batch_norm_backward", .work = backward, .weight = kBackward},
    OpModel{.name = "aten::cudnn_batch_norm_backward", .work = backward, .weight = kBackward},
    OpModel{.name = "aten::batch_norm_backward",
            .role = OpRole::Delegates,
            .work = backward,
            .weight = kBackward},
    // Our own, with the residual's sum and ReLU in it: x, weight, bias, residual.
    OpModel{.name = "ridgeline::batch_norm", .work = forward, .weight = kForward},
    OpModel{.name = "ridgeline::batch_norm_backward", .work = backward, .weight = kBackward},
    OpModel{.name = "aten::native_layer_norm",
            .role = OpRole::Delegates,
            .work = forward,
            .weight = kForward},
    OpModel{.name = "aten::native_layer_norm_backward",
            .role = OpRole::Delegates,
            .work = backward,
            .weight = kBackward},
    // On a CPU these are composed of single ops, which count then.
    OpModel{.name = "aten::_fused_rms_norm",
            .role = OpRole::Delegates,
            .work = forward,
            .weight = kRmsForward},
    OpModel{.name = "aten::_fused_rms_norm_backward",
            .role = OpRole::Delegates,
            .work = backward,
            .weight = kRmsBackward},
};

}  // namespace

std::span<const OpModel> normalisation_models() { return kModels; }

}  // namespace ridgeline
