#pragma once

#include <memory>

#include "engine/tensors.h"
#include "train/trainer.h"

namespace ridgeline {

// Loss and hits summed on the device, so that no step waits for the host to read them. All of it
// works in place and can be captured.
class DeviceTotals {
 public:
  explicit DeviceTotals(const at::Tensor& like);
  ~DeviceTotals();
  DeviceTotals(const DeviceTotals&) = delete;
  DeviceTotals& operator=(const DeviceTotals&) = delete;

  // `loss` is the mean over `samples`; `hits` (null: none) the number of right answers. A loss that
  // is not finite is counted apart.
  void add(const at::Tensor& loss, const at::Tensor* hits, std::int64_t samples);
  // At the end of a step: 1 when one of its losses was not finite. `step` is a device scalar.
  [[nodiscard]] const at::Tensor& close_step(const at::Tensor& step);
  [[nodiscard]] TrainTotals take();  // waits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
