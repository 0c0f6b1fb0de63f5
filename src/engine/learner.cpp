#include "engine/learner.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "engine/backward.h"
#include "engine/hidden_matrices.h"
#include "engine/placement.h"
#include "engine/scope.h"

namespace ridgeline {

Learner::Learner(std::unique_ptr<Model> model, const RunSettings& settings,
                 const std::optional<OptimizerOptions>& optimizer)
    : model_(std::move(model)), accumulation_(settings.accumulation) {
  place_model(*model_, settings);
  for (auto& [name, parameter] : model_->parameters()) parameters_.push_back(parameter);
  at::Tensor seed = model_->gradient_seed();
  if (seed.defined() && settings.precision == Precision::Bf16Pure) seed = seed.to(at::kBFloat16);
  seed_ = std::make_unique<at::Tensor>(std::move(seed));
  if (!optimizer) return;
  if (parameters_.empty()) throw Error(Fault::BadInput, "this model has no parameters to train");
  optimizer_ = make_optimizer(*optimizer, parameters_, hidden_matrices(*model_));
  if (settings.precision == Precision::Fp16)
    scaler_ = std::make_unique<GradScaler>(parameters_.front());
}

Learner::~Learner() { drop_grads(); }

void Learner::backward(const at::Tensor& loss) {
  const PhaseScope phase(StepPhase::Backward);
  differentiate(loss);
  if (BlockListener* const listener = block_listener.load(std::memory_order_acquire)) [[unlikely]]
    name_gradients(*listener);
}

void Learner::differentiate(const at::Tensor& loss) {
  if (seed_->defined()) return ridgeline::differentiate({loss}, {*seed_});
  at::Tensor scaled = accumulation_ > 1 ? loss.div(accumulation_) : loss;
  if (scaler_) scaled = scaler_->scale(scaled);
  ridgeline::differentiate({scaled}, {at::ones_like(scaled)});
}

void Learner::update(const UpdateOptions& options) {
  const PhaseScope phase(StepPhase::Optimizer);
  const at::NoGradGuard no_grad;
  if (scaler_) scaler_->unscale(parameters_);
  if (scaler_ && options.skip != nullptr) scaler_->refuse(*options.skip);
  if (options.clip_norm > 0) clip(options.clip_norm);
  optimizer_->update(scaler_ ? &scaler_->found_inf() : options.skip);
  if (scaler_) scaler_->adapt();
  drop_grads();
}

void Learner::drop_grads() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

void Learner::name_gradients(BlockListener& listener) const {
  for (const at::Tensor& parameter : parameters_)
    ridgeline::name_memory(listener, parameter.grad(), MemoryKind::Gradient);
}

Tensors Learner::lasting() const {
  Tensors all = parameters_;
  for (const auto& [name, buffer] : model_->buffers()) all.push_back(buffer);
  if (scaler_) {
    all.push_back(scaler_->current_scale());
    all.push_back(scaler_->growth_tracker());
  }
  if (!optimizer_) return all;
  const OptimizerState state = optimizer_->state();
  for (const Tensors& tensors : {state.first, state.second, state.steps})
    std::ranges::copy_if(tensors, std::back_inserter(all), &at::Tensor::defined);
  return all;
}

void Learner::name_memory(BlockListener& listener) const {
  using ridgeline::name_memory;
  name_memory(listener, parameters_, MemoryKind::Parameter);
  name_gradients(listener);
  name_memory(listener, model_->buffers(), MemoryKind::Buffer);
  name_memory(listener, model_->constants(), MemoryKind::Buffer);
  name_memory(listener, *seed_, MemoryKind::Buffer);
  if (scaler_) {
    for (const at::Tensor& scalar :
         {scaler_->current_scale(), scaler_->growth_tracker(), scaler_->found_inf()})
      name_memory(listener, scalar, MemoryKind::OptimizerState);
  }
  if (!optimizer_) return;
  const OptimizerState state = optimizer_->state();
  for (const Tensors& tensors : {state.first, state.second, state.steps})
    name_memory(listener, tensors, MemoryKind::OptimizerState);
  name_memory(listener, optimizer_->learning_rate(), MemoryKind::OptimizerState);
}

// As torch.nn.utils.clip_grad_norm_ does it: one norm over all gradients.
void Learner::clip(double norm) {
  Tensors grads;
  grads.reserve(parameters_.size());
  for (const at::Tensor& parameter : parameters_) grads.push_back(parameter.grad());
  const at::Tensor total = at::linalg_vector_norm(at::stack(at::_foreach_norm(grads, 2)), 2);
  at::_foreach_mul_(grads, at::full_like(total, norm).div(total.add(1e-6)).clamp_max(1.0));
}

}  // namespace ridgeline
