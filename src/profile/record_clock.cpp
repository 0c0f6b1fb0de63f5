#include "profile/record_clock.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "profile/observer.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ridgeline {
namespace {

#if defined(__x86_64__)
std::uint64_t ticks() noexcept { return __rdtsc(); }

// The kernel takes the counter for its own clock only where it runs at one rate, never stops and
// agrees on all cores.
bool counter_is_trusted() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
}
#else
std::uint64_t ticks() noexcept { return 0; }
bool counter_is_trusted() { return false; }
#endif

// The closest of several, for an interrupt between the two clocks would set them apart.
TickReading read_both() {
  TickReading closest;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t before = ticks();
    const Nanoseconds time = steady_nanoseconds();
    const std::uint64_t took = ticks() - before;
    if (took >= least) continue;
    least = took;
    closest = {.ticks = before + took / 2, .time = time};
  }
  return closest;
}

std::atomic<const TickScale*> known_scale{nullptr};

}  // namespace

TickScale::TickScale(const TickReading& one, const TickReading& later) : start_(later) {
  if (later.ticks <= one.ticks || later.time <= one.time) return;
  const double rate =
      static_cast<double>(later.time - one.time) / static_cast<double>(later.ticks - one.ticks);
  // Counters run at some hundred MHz to some GHz.
  if (rate > 0.05 && rate < 20) scale_ = static_cast<std::int64_t>(rate * 4294967296.0);
}

Nanoseconds record_time() noexcept {
  const TickScale* const scale = known_scale.load(std::memory_order_acquire);
  return scale == nullptr ? steady_nanoseconds() : scale->time_of(ticks());
}

void calibrate_record_clock() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!counter_is_trusted()) return;
    const TickReading before = read_both();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    static const TickScale scale(before, read_both());
    if (scale.usable()) known_scale.store(&scale, std::memory_order_release);
  });
}

}  // namespace ridgeline
