#pragma once

#include <memory>
#include <vector>

#include "engine/backend.h"
#include "train/trainer.h"

namespace ridgeline {

// The points of a step: its start, after each forward and each backward, its end.
[[nodiscard]] constexpr std::size_t points_a_step(std::size_t micro_batches) {
  return 2 * micro_batches + 2;
}
// Adds the phases of one finished step whose points were marked from `first` on.
void add_phases(TrainTimes& times, const StepClock& clock, std::size_t first,
                std::size_t micro_batches);

// Times steps on the device without waiting for them: a ring of marks is read when its turn comes
// round, which also keeps the host from running too far ahead.
class StepTimer {
 public:
  // With no micro-batches only start and end of a step are marked: what is between is unknown.
  StepTimer(Backend& backend, std::size_t micro_batches);

  // `point` 0 begins a step, the last one ends it.
  void mark(std::size_t point);
  // Waits for every step marked so far.
  [[nodiscard]] TrainTimes take();

 private:
  void collect(std::size_t slot);

  std::size_t micro_batches_;
  std::unique_ptr<StepClock> clock_;
  std::vector<bool> pending_;
  std::size_t slot_ = 0;
  TrainTimes times_;
};

}  // namespace ridgeline
