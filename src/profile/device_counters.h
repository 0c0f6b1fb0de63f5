#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "roofline/cache_control.h"

namespace ridgeline {

struct CounterOptions {
  std::vector<std::string> metrics{};  // as ncu spells them
  std::size_t most_kernels = 0;        // of a step
  CacheControl cache = CacheControl::None;
};

// The counters of one kernel, in the order of the metrics; not finite where one was not read.
struct KernelReadings {
  std::string name{};
  std::vector<double> values{};
};

struct CounterReadings {
  std::vector<std::string> metrics{};      // those the device has
  std::vector<std::string> unsupported{};  // those it has not
  std::vector<KernelReadings> kernels{};   // in the order of their launches
  std::size_t passes = 0;
  std::size_t dropped = 0;  // kernels of which a pass found no room
};

// Hardware counters of every kernel of a step. There are more counters asked for than the hardware
// has registers, so the step is repeated; every pass must do the same work. One at a time, and no
// DeviceObserver beside it.
class DeviceCounters {
 public:
  virtual ~DeviceCounters() = default;
  [[nodiscard]] virtual std::size_t passes() const = 0;
  virtual void begin_pass() = 0;
  // After the device has finished. False when this was the last pass.
  [[nodiscard]] virtual bool end_pass() = 0;
  [[nodiscard]] virtual CounterReadings finish() = 0;
};

// The CUDA plugin's entry point. Owned by the caller. Throws Error(Device) saying why counters
// cannot be read, and what would permit it.
using MakeDeviceCounters = DeviceCounters* (*)(const CounterOptions& options);
inline constexpr const char* kMakeDeviceCountersSymbol = "ridgeline_make_device_counters";

}  // namespace ridgeline
