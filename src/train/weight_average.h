#pragma once

#include <memory>

#include "engine/model.h"

namespace ridgeline {

// An exponential moving average of a model's weights and of its floating-point statistics; the
// counters are copied.
class WeightAverage {
 public:
  WeightAverage(Model& model, double decay);
  ~WeightAverage();
  WeightAverage(const WeightAverage&) = delete;
  WeightAverage& operator=(const WeightAverage&) = delete;

  void update();  // after a step; can be captured
  // Puts the averages into the model and what was there into the averages; twice restores both.
  void exchange();
  [[nodiscard]] NamedTensors tensors() const;  // the averages, sharing storage

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
