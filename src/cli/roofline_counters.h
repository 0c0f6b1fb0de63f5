#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/workload.h"
#include "roofline/counted_kernels.h"

namespace ridgeline {

// One step as the hardware counters saw it.
struct CountedStep {
  std::vector<CountedKernel> kernels{};  // in the order of their launches
  std::size_t passes = 0;
  std::vector<std::string> unsupported{};  // counters that this chip has not
  Seconds took{};
};

// Why hardware counters cannot be read of such a step; absent when they may be.
[[nodiscard]] std::optional<std::string> counter_obstacle(const RunSettings& settings);

// Repeats a step of the workload, which has stepped before, until each counter had its pass. Throws
// Error(Device) when they cannot be read, and when a pass found no room for a kernel: a part of the
// counters is not the counters. Absent when the user interrupted.
[[nodiscard]] std::optional<CountedStep> count_kernels(const Engine& engine, Workload& workload,
                                                       std::size_t launches);

}  // namespace ridgeline
