#pragma once

#include <memory>
#include <optional>

#include "engine/grad_scaler.h"
#include "engine/memory_blocks.h"
#include "engine/model.h"
#include "engine/optimizer.h"

namespace ridgeline {

struct UpdateOptions {
  const at::Tensor* skip = nullptr;  // a device scalar, 0 or 1: 1 leaves everything as it was
  double clip_norm = 0;              // 0: gradients are not clipped
};

// A model placed on its device with what trains it: gradients scaled, clipped, applied, dropped.
// Nothing here waits for the device, so all of it can be captured.
class Learner {
 public:
  // Without an optimizer it can still run forward and backward.
  Learner(std::unique_ptr<Model> model, const RunSettings& settings,
          const std::optional<OptimizerOptions>& optimizer);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  [[nodiscard]] Model& model() { return *model_; }
  [[nodiscard]] const Tensors& parameters() const { return parameters_; }
  [[nodiscard]] Optimizer& optimizer() { return *optimizer_; }
  [[nodiscard]] GradScaler* scaler() { return scaler_.get(); }  // null: gradients are not scaled

  // Of one micro-batch: scaled so that the gradients of all of them are those of their mean.
  void backward(const at::Tensor& loss);
  void update(const UpdateOptions& options = {});
  // Dropped rather than zeroed: the next backward then writes them without reading.
  void drop_grads();
  // Everything that a step changes and the next one finds, sharing its storage.
  [[nodiscard]] Tensors lasting() const;
  // Everything that lasts from step to step: parameters, what the optimizer remembers, buffers,
  // gradients where there are any.
  void name_memory(BlockListener& listener) const;

 private:
  void differentiate(const at::Tensor& loss);
  void name_gradients(BlockListener& listener) const;
  void clip(double norm);

  std::unique_ptr<Model> model_;
  int accumulation_;
  Tensors parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<GradScaler> scaler_;
  std::unique_ptr<at::Tensor> seed_;  // what a loss that is no scalar is differentiated with
};

}  // namespace ridgeline
