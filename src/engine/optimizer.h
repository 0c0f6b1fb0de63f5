#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/settings.h"
#include "engine/tensors.h"

namespace ridgeline {

// lr, decay and the like as the source workflows set them.
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::AdamW;
  double learning_rate = 3e-4;
  double weight_decay = 0.01;
  std::optional<double> norm_weight_decay{};  // of norms and biases, where it is another
  double momentum = 0.9;                      // Sgd
  bool nesterov = true;                       // Sgd
  double beta1 = 0.9;  // Adam and AdamW, which differ in how the decay enters
  double beta2 = 0.999;
  double eps = 1e-8;
  // Muon alone: of hidden matrices. All above is then of the parameters that are none, which `rest`
  // updates; both rates follow one schedule.
  OptimizerKind rest = OptimizerKind::Sgd;
  double muon_learning_rate = 0.02;
  double muon_weight_decay = 0.1;
  double muon_momentum = 0.95;
};

// Parameters that are updated alike, by their places in the list that the optimizer was made with.
struct DecayGroup {
  OptimizerKind kind = OptimizerKind::AdamW;
  double rate_factor = 1;  // their rate over the optimizer's
  double weight_decay = 0;
  std::vector<std::size_t> parameters{};
};

// What an optimizer remembers, in the order of the parameters and sharing its storage: momentum, or
// first and second moments and the number of steps taken.
struct OptimizerState {
  Tensors first;   // undefined for SGD without momentum
  Tensors second;  // none for SGD; undefined for Muon's matrices
  Tensors steps;   // none for SGD, else one scalar that serves all of Adam's
  std::vector<DecayGroup> groups;
};

// One fused kernel per dtype over all parameters (Muon: some a shape). State and learning rate live
// on the parameters' device, so that an update can be part of a captured graph.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Updates every parameter from its grad. `found_inf` (null: none) is a device scalar; when it is
  // not zero the update leaves everything as it was.
  virtual void update(const at::Tensor* found_inf) = 0;
  virtual void set_learning_rate(double rate) = 0;
  // The device scalar itself, for a step that finds its rate on the device.
  [[nodiscard]] virtual at::Tensor& learning_rate() = 0;
  [[nodiscard]] virtual OptimizerState state() const = 0;
};

// `matrices`: the places of hidden matrices, which only Muon wants to know.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(
    const OptimizerOptions& options, const Tensors& parameters,
    const std::vector<std::size_t>& matrices = {});

}  // namespace ridgeline
