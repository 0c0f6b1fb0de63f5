#pragma once

#include <memory>

#include "engine/settings.h"
#include "engine/tensors.h"

namespace ridgeline {

// Keeps fp16 gradients from vanishing: the loss is scaled up, the gradients down again, and a step
// with a non-finite gradient is skipped and the scale halved. Everything stays on the device.
class GradScaler {
 public:
  // PyTorch's GradScaler defaults.
  static constexpr double kFirstScale = 65536.0;
  static constexpr double kGrowth = 2.0;
  static constexpr double kBackoff = 0.5;
  static constexpr int kGrowthInterval = 2000;

  explicit GradScaler(const at::Tensor& like);
  ~GradScaler();
  [[nodiscard]] at::Tensor scale(const at::Tensor& loss) const;
  // Unscales the grads in place; afterwards found_inf() says whether one was not finite.
  void unscale(const Tensors& parameters);
  [[nodiscard]] const at::Tensor& found_inf() const;
  // Lets this step be skipped for another reason: `skip` is a device scalar, 0 or 1.
  void refuse(const at::Tensor& skip);
  void adapt();
  // What a checkpoint keeps, sharing storage: the scale and the steps since it last grew.
  [[nodiscard]] const at::Tensor& current_scale() const;
  [[nodiscard]] const at::Tensor& growth_tracker() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
