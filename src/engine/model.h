#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/settings.h"
#include "engine/tensors.h"

namespace ridgeline {

// What a model is built with: the ops it calls and whether it recomputes its blocks in the
// backward.
struct ModelContext {
  Ops ops;
  bool activation_checkpointing = false;
  Device device{};  // where the weights are made
};

// The parameters at a model's two ends, by name; all others lie between hidden layers.
struct ModelEnds {
  std::vector<std::string> inputs{};  // tables that are looked up, inputs that are trained
  std::vector<std::string> head{};    // the last layer, whose size the task decides
};

// A model as the step sees it. Built in fp32 with its own seeded initialisation; the step
// places it. Parameter and buffer names are those of the PyTorch original.
class Model {
 public:
  virtual ~Model() = default;

  // The output for an input: logits for classifiers and language models.
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input) = 0;
  // The training loss for an input and its target; undefined tensor where there is none.
  [[nodiscard]] virtual at::Tensor loss(const at::Tensor& input, const at::Tensor& target) = 0;
  // Random {input, target} of the model's batch, on the CPU. Integer or fp32.
  [[nodiscard]] virtual std::pair<at::Tensor, at::Tensor> synthetic_batch(
      std::uint64_t seed) const = 0;

  // Sharing storage with the model: assigning through set_data moves or casts the model itself.
  [[nodiscard]] virtual NamedTensors parameters() const = 0;
  [[nodiscard]] virtual ModelEnds ends() const = 0;
  [[nodiscard]] virtual NamedTensors buffers() const = 0;
  // What moves with the model but is derived, so no checkpoint file holds it and no cast touches
  // it: tables of angles, a gradient seed.
  [[nodiscard]] virtual NamedTensors constants() const = 0;
  // The gradient that loss() or, where there is no target, forward() is differentiated with;
  // undefined where the loss is a scalar.
  [[nodiscard]] virtual at::Tensor gradient_seed() const = 0;
  // Training mode matters to BatchNorm alone so far.
  virtual void set_training(bool training) = 0;
};

}  // namespace ridgeline
