#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/nvml.h"
#include "engine/engine.h"
#include "engine/settings.h"
#include "roofline/peak_cache.h"
#include "roofline/peak_rounds.h"

namespace ridgeline {

enum class Refresh { No, Yes };  // Yes: measures what is known already

// Every peak of a device, whether it was known or measured now.
struct PeakReport {
  PeakKey machine{};  // name, LibTorch, driver
  std::vector<MeasuredPeak> peaks{};
  std::size_t measured_now = 0;      // the others are from the cache
  std::vector<std::string> notes{};  // what was not measured or not kept, and why
  bool interrupted = false;          // then nothing was kept, and peaks has only known ones
  std::optional<double> cpu_clock_mhz{};
  std::optional<GpuState> gpu_before{};  // clocks and throttle reasons around the measurement
  std::optional<GpuState> gpu_after{};
};

// From the cache; what is not there is measured (a CPU takes some 10 s, a GPU some 30) and kept. A
// peak whose interval is wider than kWidestSpread is reported and not kept. Of `settings` device
// and threads count: the ceilings of a CPU are measured for 1, 2, 4 ... threads and these.
[[nodiscard]] PeakReport measured_peaks(const Engine& engine, const RunSettings& settings,
                                        Refresh refresh, const PeakRoundsHooks& hooks = {});

// One of them alone, by name ("bf16", "copy"). Absent when it cannot be measured.
[[nodiscard]] std::optional<MeasuredPeak> measured_peak(const Engine& engine,
                                                        const RunSettings& settings,
                                                        const std::string& name);

// What a roofline of this device is drawn with: the best of the peaks above for each path and
// level, at the settings' threads.
[[nodiscard]] Ceilings measured_ceilings(const Engine& engine, const RunSettings& settings,
                                         Refresh refresh);
[[nodiscard]] Ceilings ceilings_of(const PeakReport& report, const RunSettings& settings);

}  // namespace ridgeline
