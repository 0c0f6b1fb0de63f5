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

// Peaks of a device, whether they were known or measured now.
struct PeakReport {
  PeakKey machine{};  // name, LibTorch, driver; of a CPU the threads asked for and its cores
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

// What a roofline is made of.
struct RoofWish {
  std::vector<Precision> products{};  // beside the FMA of all vector units but fp64's
  std::vector<MemoryLevel> levels{};
};
// Those peaks alone, as measured_peaks() would give them: whatever else is asked for beside them,
// the ceilings are the same.
[[nodiscard]] PeakReport measured_roofs(const Engine& engine, const RunSettings& settings,
                                        const RoofWish& wish);

// The best of the report's peaks for each path and level, at its threads.
[[nodiscard]] Ceilings ceilings_of(const PeakReport& report);

}  // namespace ridgeline
