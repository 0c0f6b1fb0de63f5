#include "cli/roofline_counters.h"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/interrupt.h"
#include "profile/count_step.h"
#include "roofline/counters.h"

namespace ridgeline {
namespace {

// More than were timed: that the counted step has others must be seen, not cut off.
constexpr std::size_t kMargin = 64;

}  // namespace

CounterSource device_counters_of(const Engine& engine) {
  return [&engine](const CounterOptions& options) {
    return std::unique_ptr<DeviceCounters>(
        engine.cuda_symbol<MakeDeviceCounters>(kMakeDeviceCountersSymbol)(options));
  };
}

std::optional<std::string> counter_obstacle(const RunSettings& settings) {
  if (settings.device.kind == DeviceKind::Cpu) return "a CPU's are not read";
  if (settings.mode == Mode::Graph) return "they are read kernel by kernel, in eager mode";
  return std::nullopt;
}

std::optional<CountedStep> count_kernels(const CounterSource& source, Workload& workload,
                                         const CountOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto counters = source({.metrics = roofline_counters(),
                                .most_kernels = options.launches + kMargin,
                                .cache = options.cache});
  const auto readings = count_step(workload, *counters, [] { return interrupted(); });
  if (!readings) return std::nullopt;
  if (readings->dropped > 0)
    throw Error(Fault::Device, fmt::format("the counters of {} kernels were dropped in some pass",
                                           readings->dropped));
  CountedStep counted{.passes = readings->passes,
                      .unsupported = not_counted(readings->unsupported)};
  for (const KernelReadings& kernel : readings->kernels)
    counted.kernels.push_back(counted_kernel(kernel.name, readings->metrics, kernel.values));
  counted.took = std::chrono::steady_clock::now() - start;
  return counted;
}

}  // namespace ridgeline
