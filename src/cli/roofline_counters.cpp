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

std::optional<std::string> counter_obstacle(const RunSettings& settings) {
  if (settings.device.kind == DeviceKind::Cpu) return "a CPU's are not read";
  if (settings.mode == Mode::Graph) return "they are read kernel by kernel, in eager mode";
  return std::nullopt;
}

std::optional<CountedStep> count_kernels(const Engine& engine, Workload& workload,
                                         std::size_t launches) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<DeviceCounters> counters(
      engine.cuda_symbol<MakeDeviceCounters>(kMakeDeviceCountersSymbol)(
          {.metrics = roofline_counters(), .most_kernels = launches + kMargin}));
  const auto readings = count_step(workload, *counters, [] { return interrupted(); });
  if (!readings) return std::nullopt;
  if (readings->dropped > 0)
    throw Error(Fault::Device, fmt::format("the counters of {} kernels were dropped in some pass",
                                           readings->dropped));
  CountedStep counted{.passes = readings->passes, .unsupported = readings->unsupported};
  for (const KernelReadings& kernel : readings->kernels)
    counted.kernels.push_back(counted_kernel(kernel.name, readings->metrics, kernel.values));
  counted.took = std::chrono::steady_clock::now() - start;
  return counted;
}

}  // namespace ridgeline
