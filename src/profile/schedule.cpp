#include "profile/schedule.h"

namespace ridgeline {
namespace {

std::int64_t cycle(const StepSchedule& schedule) {
  return std::int64_t{schedule.wait} + schedule.warmup + schedule.active;
}

}  // namespace

StepAction action_at(const StepSchedule& schedule, std::int64_t step) {
  if (step >= step_count(schedule)) return StepAction::Wait;
  const std::int64_t place = step % cycle(schedule);
  if (place < schedule.wait) return StepAction::Wait;
  return place < schedule.wait + schedule.warmup ? StepAction::WarmUp : StepAction::Record;
}

std::int64_t step_count(const StepSchedule& schedule) { return cycle(schedule) * schedule.repeat; }

}  // namespace ridgeline
