#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/workload.h"
#include "profile/device_counters.h"
#include "roofline/counted_kernels.h"

namespace ridgeline {

// Who reads counters: a device, or what stands for one in a test. Throws Error(Device) saying why
// they cannot be read.
using CounterSource = std::function<std::unique_ptr<DeviceCounters>(const CounterOptions&)>;
// The CUDA plugin's. The engine must live as long as what is made.
[[nodiscard]] CounterSource device_counters_of(const Engine& engine);

// One step as the hardware counters saw it.
struct CountedStep {
  std::vector<CountedKernel> kernels{};  // in the order of their launches
  std::size_t passes = 0;
  std::vector<std::string> unsupported{};  // what this chip cannot count
  Seconds took{};
};

// Why hardware counters cannot be read of such a step; absent when they may be.
[[nodiscard]] std::optional<std::string> counter_obstacle(const RunSettings& settings);

struct CountOptions {
  std::size_t launches = 0;  // of the step when it was recorded
  CacheControl cache = CacheControl::None;
};

// Repeats a step of the workload, which has stepped before, until each counter had its pass. Throws
// Error(Device) when they cannot be read, and when a pass found no room for a kernel: a part of the
// counters is not the counters. Absent when the user interrupted.
[[nodiscard]] std::optional<CountedStep> count_kernels(const CounterSource& source,
                                                       Workload& workload,
                                                       const CountOptions& options);

}  // namespace ridgeline
