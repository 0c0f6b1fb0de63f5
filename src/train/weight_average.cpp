#include "train/weight_average.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

namespace ridgeline {

struct WeightAverage::State {
  double decay;
  Tensors live, average;               // floating point
  Tensors live_counters, counters;     // the rest
  NamedTensors live_all, average_all;  // in the model's order
};

WeightAverage::WeightAverage(Model& model, double decay) : state_(std::make_unique<State>()) {
  state_->decay = decay;
  NamedTensors all = model.parameters();
  for (auto& named : model.buffers()) all.push_back(named);
  for (const auto& [name, tensor] : all) {
    const at::Tensor copy = tensor.detach().clone();
    const bool averaged = tensor.is_floating_point();
    (averaged ? state_->live : state_->live_counters).push_back(tensor);
    (averaged ? state_->average : state_->counters).push_back(copy);
    state_->live_all.emplace_back(name, tensor);
    state_->average_all.emplace_back(name, copy);
  }
}

WeightAverage::~WeightAverage() = default;

void WeightAverage::update() {
  const at::NoGradGuard no_grad;
  at::_foreach_lerp_(state_->average, state_->live, 1 - state_->decay);
  if (!state_->counters.empty()) at::_foreach_copy_(state_->counters, state_->live_counters);
}

// Storage is exchanged, not content: a captured step keeps finding the weights at their address
// once they are back.
void WeightAverage::exchange() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < state_->live_all.size(); ++i) {
    const at::Tensor& live = state_->live_all[i].second;
    const at::Tensor& average = state_->average_all[i].second;
    const at::Tensor kept = live.detach().alias();
    live.set_data(average);
    average.set_data(kept);
  }
}

NamedTensors WeightAverage::tensors() const { return state_->average_all; }

}  // namespace ridgeline
