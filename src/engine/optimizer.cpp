#include "engine/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <map>

namespace ridgeline {
namespace {

// The fused kernels take lists of one dtype.
std::vector<Tensors> by_dtype(const Tensors& parameters) {
  std::map<at::ScalarType, Tensors> groups;
  for (const at::Tensor& parameter : parameters)
    groups[parameter.scalar_type()].push_back(parameter);
  std::vector<Tensors> result;
  for (auto& [dtype, group] : groups) result.push_back(std::move(group));
  return result;
}

Tensors zeros_like_each(const Tensors& tensors) {
  Tensors zeros;
  zeros.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) zeros.push_back(at::zeros_like(tensor));
  return zeros;
}

at::Tensor device_scalar(const at::Tensor& like, double value) {
  return at::full({}, value, like.options().dtype(at::kFloat));
}

class GroupedOptimizer : public Optimizer {
 public:
  GroupedOptimizer(const OptimizerOptions& options, const Tensors& parameters)
      : options_(options), rate_(device_scalar(parameters.front(), options.learning_rate)) {}

  void set_learning_rate(double rate) override { rate_.fill_(rate); }

 protected:
  struct Group {
    Tensors parameters;
    Tensors grads;  // gathered before each update, kept to save the allocation
    Tensors first;  // momentum, or AdamW's first moment
    Tensors second;
  };

  static void gather_grads(Group& group) {
    group.grads.clear();
    for (const at::Tensor& parameter : group.parameters) group.grads.push_back(parameter.grad());
  }

  OptimizerOptions options_;
  at::Tensor rate_;
  std::vector<Group> groups_;
};

class Sgd final : public GroupedOptimizer {
 public:
  Sgd(const OptimizerOptions& options, const Tensors& parameters)
      : GroupedOptimizer(options, parameters) {
    for (Tensors& group : by_dtype(parameters)) {
      Tensors momentum = zeros_like_each(group);
      groups_.push_back({.parameters = std::move(group),
                         .grads = {},
                         .first = std::move(momentum),
                         .second = {}});
    }
  }

  void update(const at::Tensor* found_inf) override {
    const at::NoGradGuard no_grad;
    const std::optional<at::Tensor> skip = found_inf ? std::optional(*found_inf) : std::nullopt;
    for (Group& group : groups_) {
      gather_grads(group);
      // Momentum starts at zero, so the first step needs no special case.
      at::_fused_sgd_(group.parameters, group.grads, group.first, options_.weight_decay,
                      options_.momentum, rate_, /*dampening=*/0.0, options_.nesterov,
                      /*maximize=*/false, /*is_first_step=*/false, /*grad_scale=*/{}, skip);
    }
  }
};

class AdamW final : public GroupedOptimizer {
 public:
  AdamW(const OptimizerOptions& options, const Tensors& parameters)
      : GroupedOptimizer(options, parameters), step_(device_scalar(parameters.front(), 0)) {
    for (Tensors& group : by_dtype(parameters)) {
      Tensors first = zeros_like_each(group);
      Tensors second = zeros_like_each(group);
      // Every parameter has taken the same number of steps: one counter serves all.
      steps_.emplace_back(group.size(), step_);
      groups_.push_back({.parameters = std::move(group),
                         .grads = {},
                         .first = std::move(first),
                         .second = std::move(second)});
    }
  }

  void update(const at::Tensor* found_inf) override {
    const at::NoGradGuard no_grad;
    const std::optional<at::Tensor> skip = found_inf ? std::optional(*found_inf) : std::nullopt;
    step_.add_(1);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& group = groups_[i];
      gather_grads(group);
      at::_fused_adamw_(group.parameters, group.grads, group.first, group.second, {}, steps_[i],
                        rate_, options_.beta1, options_.beta2, options_.weight_decay, options_.eps,
                        /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, skip);
    }
    if (found_inf != nullptr) step_.sub_(*found_inf);
  }

 private:
  at::Tensor step_;
  std::vector<Tensors> steps_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const Tensors& parameters) {
  if (options.kind == OptimizerKind::Sgd) return std::make_unique<Sgd>(options, parameters);
  return std::make_unique<AdamW>(options, parameters);
}

}  // namespace ridgeline
