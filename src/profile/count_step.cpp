#include "profile/count_step.h"

namespace ridgeline {

std::optional<CounterReadings> count_step(Workload& workload, DeviceCounters& counters,
                                          const std::function<bool()>& interrupted) {
  workload.keep_state();
  bool more = true;
  while (more) {
    if (interrupted()) return std::nullopt;
    counters.begin_pass();
    workload.step();
    more = counters.end_pass();
    workload.restore_state();
  }
  return counters.finish();
}

}  // namespace ridgeline
