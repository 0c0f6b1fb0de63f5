#include "train/step_timer.h"

#include <utility>

namespace ridgeline {
namespace {

constexpr std::size_t kStepsInFlight = 16;

}  // namespace

void add_phases(TrainTimes& times, const StepClock& clock, std::size_t first,
                std::size_t micro_batches) {
  for (std::size_t micro = 0; micro < micro_batches; ++micro) {
    const std::size_t start = first + 2 * micro;
    times.forward += clock.between(start, start + 1);
    times.backward += clock.between(start + 1, start + 2);
  }
  const std::size_t last = first + points_a_step(micro_batches) - 1;
  times.optimizer += clock.between(last - 1, last);
  ++times.phase_steps;
}

StepTimer::StepTimer(Backend& backend, std::size_t micro_batches)
    : micro_batches_(micro_batches),
      clock_(backend.make_clock(kStepsInFlight * points_a_step(micro_batches))),
      pending_(kStepsInFlight) {}

void StepTimer::mark(std::size_t point) {
  const std::size_t points = points_a_step(micro_batches_);
  if (point == 0 && pending_[slot_]) collect(slot_);
  clock_->mark(slot_ * points + point);
  if (point + 1 < points) return;
  pending_[slot_] = true;
  slot_ = (slot_ + 1) % kStepsInFlight;
}

void StepTimer::collect(std::size_t slot) {
  const std::size_t first = slot * points_a_step(micro_batches_);
  const std::size_t last = first + points_a_step(micro_batches_) - 1;
  clock_->wait(last);
  times_.busy += clock_->between(first, last);
  ++times_.steps;
  if (micro_batches_ > 0) add_phases(times_, *clock_, first, micro_batches_);
  pending_[slot] = false;
}

TrainTimes StepTimer::take() {
  for (std::size_t i = 0; i < kStepsInFlight; ++i) {
    const std::size_t slot = (slot_ + i) % kStepsInFlight;
    if (pending_[slot]) collect(slot);
  }
  return std::exchange(times_, {});
}

}  // namespace ridgeline
