#include "profile/count_step.h"

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

// The plan knows how many passes there are; one or two more are its error, more are endless.
constexpr std::size_t kMargin = 4;

// What fails in the middle of a pass leaves the weights of a step that nobody asked for.
void step_once(Workload& workload, DeviceCounters& counters, bool& more) {
  try {
    counters.begin_pass();
    workload.step();
    more = counters.end_pass();
  } catch (...) {
    try {
      workload.restore_state();
    } catch (...) {  // the first failure is the one to tell
    }
    throw;
  }
  workload.restore_state();
}

}  // namespace

std::optional<CounterReadings> count_step(Workload& workload, DeviceCounters& counters,
                                          const std::function<bool()>& interrupted) {
  workload.keep_state();
  const std::size_t most = counters.passes() + kMargin;
  bool more = true;
  for (std::size_t made = 0; more; ++made) {
    if (interrupted()) return std::nullopt;
    if (made == most)
      throw Error(Fault::Device,
                  fmt::format("the counters want more than {} passes, {} were planned", most,
                              counters.passes()));
    step_once(workload, counters, more);
  }
  return counters.finish();
}

}  // namespace ridgeline
