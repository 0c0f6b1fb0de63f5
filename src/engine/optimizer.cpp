#include "engine/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <map>

#include "engine/muon.h"

namespace ridgeline {
namespace {

at::Tensor device_scalar(const at::Tensor& like, double value) {
  return at::full({}, value, like.options().dtype(at::kFloat));
}

std::vector<DecayGroup> decay_groups(const OptimizerOptions& options, const Tensors& parameters) {
  DecayGroup weights{.kind = options.kind, .weight_decay = options.weight_decay};
  DecayGroup norms{.kind = options.kind,
                   .weight_decay = options.norm_weight_decay.value_or(options.weight_decay)};
  const bool apart = norms.weight_decay != weights.weight_decay;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_norm = apart && parameters[i].dim() <= 1;  // or a bias
    (is_norm ? norms : weights).parameters.push_back(i);
  }
  std::vector<DecayGroup> groups;
  if (!weights.parameters.empty()) groups.push_back(std::move(weights));
  if (!norms.parameters.empty()) groups.push_back(std::move(norms));
  return groups;
}

enum class Memory { None, First, Both };  // of the moments

class GroupedOptimizer : public Optimizer {
 public:
  GroupedOptimizer(const OptimizerOptions& options, const Tensors& parameters, Memory memory)
      : options_(options), rate_(device_scalar(parameters.front(), options.learning_rate)) {
    state_.groups = decay_groups(options, parameters);
    std::vector<double> decays(parameters.size());
    for (const DecayGroup& group : state_.groups)
      for (const std::size_t place : group.parameters) decays[place] = group.weight_decay;
    // The fused kernels take lists of one dtype and one decay.
    std::map<std::pair<at::ScalarType, double>, Group> groups;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor& parameter = parameters[i];
      Group& group = groups[{parameter.scalar_type(), decays[i]}];
      group.weight_decay = decays[i];
      group.parameters.push_back(parameter);
      state_.first.push_back(memory == Memory::None
                                 ? at::Tensor()
                                 : group.first.emplace_back(at::zeros_like(parameter)));
      if (memory == Memory::Both)
        state_.second.push_back(group.second.emplace_back(at::zeros_like(parameter)));
    }
    for (auto& [key, group] : groups) groups_.push_back(std::move(group));
  }

  void set_learning_rate(double rate) override { rate_.fill_(rate); }
  [[nodiscard]] at::Tensor& learning_rate() override { return rate_; }
  [[nodiscard]] OptimizerState state() const override { return state_; }

 protected:
  struct Group {
    double weight_decay = 0;
    Tensors parameters;
    Tensors grads;  // only during an update; the list's own memory is kept
    Tensors first;  // momentum, or the first moment; none for SGD without momentum, as torch wants
    Tensors second;
    Tensors steps;
  };

  static void gather_grads(Group& group) {
    group.grads.clear();
    for (const at::Tensor& parameter : group.parameters) group.grads.push_back(parameter.grad());
  }

  OptimizerOptions options_;
  at::Tensor rate_;
  OptimizerState state_;
  std::vector<Group> groups_;
};

class Sgd final : public GroupedOptimizer {
 public:
  Sgd(const OptimizerOptions& options, const Tensors& parameters)
      : GroupedOptimizer(options, parameters, options.momentum > 0 ? Memory::First : Memory::None) {
  }

  void update(const at::Tensor* found_inf) override {
    const at::NoGradGuard no_grad;
    const std::optional<at::Tensor> skip = found_inf ? std::optional(*found_inf) : std::nullopt;
    for (Group& group : groups_) {
      gather_grads(group);
      // Momentum starts at zero, so the first step needs no special case.
      at::_fused_sgd_(group.parameters, group.grads, group.first, group.weight_decay,
                      options_.momentum, rate_, /*dampening=*/0.0, options_.nesterov,
                      /*maximize=*/false, /*is_first_step=*/false, /*grad_scale=*/{}, skip);
      group.grads.clear();  // or they would live on beside those of the next backward
    }
  }
};

// Adam and AdamW: the same state, another place for the weight decay.
class Adam final : public GroupedOptimizer {
 public:
  Adam(const OptimizerOptions& options, const Tensors& parameters)
      : GroupedOptimizer(options, parameters, Memory::Both),
        step_(device_scalar(parameters.front(), 0)) {
    // Every parameter has taken the same number of steps: one counter serves all.
    for (Group& group : groups_) group.steps.assign(group.parameters.size(), step_);
    state_.steps.push_back(step_);
  }

  void update(const at::Tensor* found_inf) override {
    const at::NoGradGuard no_grad;
    const std::optional<at::Tensor> skip = found_inf ? std::optional(*found_inf) : std::nullopt;
    const auto fused = options_.kind == OptimizerKind::AdamW ? update_adamw : update_adam;
    step_.add_(1);
    for (Group& group : groups_) {
      gather_grads(group);
      fused(group, rate_, options_, skip);
      group.grads.clear();
    }
    if (found_inf != nullptr) step_.sub_(*found_inf);
  }

 private:
  static void update_adam(Group& group, const at::Tensor& rate, const OptimizerOptions& options,
                          const std::optional<at::Tensor>& skip) {
    at::_fused_adam_(group.parameters, group.grads, group.first, group.second, {}, group.steps,
                     rate, options.beta1, options.beta2, group.weight_decay, options.eps,
                     /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, skip);
  }
  static void update_adamw(Group& group, const at::Tensor& rate, const OptimizerOptions& options,
                           const std::optional<at::Tensor>& skip) {
    at::_fused_adamw_(group.parameters, group.grads, group.first, group.second, {}, group.steps,
                      rate, options.beta1, options.beta2, group.weight_decay, options.eps,
                      /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, skip);
  }

  at::Tensor step_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const Tensors& parameters,
                                          const std::vector<std::size_t>& matrices) {
  if (options.kind == OptimizerKind::Muon) return make_muon(options, parameters, matrices);
  if (options.kind == OptimizerKind::Sgd) return std::make_unique<Sgd>(options, parameters);
  return std::make_unique<Adam>(options, parameters);
}

}  // namespace ridgeline
