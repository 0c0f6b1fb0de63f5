#include "engine/grad_scaler.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <map>

namespace ridgeline {

struct GradScaler::State {
  at::Tensor scale;
  at::Tensor growth_tracker;
  at::Tensor found_inf;
};

GradScaler::GradScaler(const at::Tensor& like)
    : state_(std::make_unique<State>(
          State{.scale = at::full({}, kFirstScale, like.options().dtype(at::kFloat)),
                .growth_tracker = at::zeros({}, like.options().dtype(at::kInt)),
                .found_inf = at::zeros({}, like.options().dtype(at::kFloat))})) {}

GradScaler::~GradScaler() = default;

at::Tensor GradScaler::scale(const at::Tensor& loss) const { return loss.mul(state_->scale); }

void GradScaler::unscale(const Tensors& parameters) {
  const at::NoGradGuard no_grad;
  state_->found_inf.zero_();
  const at::Tensor inverse = state_->scale.to(at::kDouble).reciprocal().to(at::kFloat);
  std::map<at::ScalarType, Tensors> grads;
  for (const at::Tensor& parameter : parameters) {
    grads[parameter.grad().scalar_type()].push_back(parameter.grad());
  }
  for (auto& [dtype, group] : grads) {
    at::_amp_foreach_non_finite_check_and_unscale_(group, state_->found_inf, inverse);
  }
}

const at::Tensor& GradScaler::found_inf() const { return state_->found_inf; }

void GradScaler::refuse(const at::Tensor& skip) {
  at::maximum_out(state_->found_inf, state_->found_inf, skip);
}

const at::Tensor& GradScaler::current_scale() const { return state_->scale; }

const at::Tensor& GradScaler::growth_tracker() const { return state_->growth_tracker; }

void GradScaler::adapt() {
  at::_amp_update_scale_(state_->scale, state_->growth_tracker, state_->found_inf, kGrowth,
                         kBackoff, kGrowthInterval);
}

}  // namespace ridgeline
