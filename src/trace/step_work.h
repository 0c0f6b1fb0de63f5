#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/device_work.h"
#include "trace/kernel_table.h"

namespace ridgeline {

// What one device did in the steps, its streams merged: two kernels at once count once.
struct DeviceStepWork {
  std::int64_t device{};
  std::int64_t busy_ns{};
  std::int64_t communication_ns{};
  std::int64_t communication_alone_ns{};  // while nothing was computed
  std::uint64_t communications{};         // kernels, and calls of a backend on the host
  std::int64_t busy_in_data_wait_ns{};    // while the host waited for data
};

// PyTorch marks its loaders' calls so; other tools' waits for data are not known.
[[nodiscard]] bool waits_for_data(std::string_view name);

struct StepKernels {
  std::uint64_t count{};
  std::uint64_t distinct{};    // names
  std::uint64_t short_ones{};  // that run less than kShortKernel
  std::int64_t median_ns{};
};

// What belongs to the steps, whenever it ran: pauses between steps and work asked for in them are
// no part of it. Without steps the whole trace is one.
struct StepWork {
  std::int64_t time_ns{};       // of all steps on the host, an overlap once; without steps the span
  std::int64_t data_wait_ns{};  // of it in waits for data, nested ones counted once
  std::vector<DeviceStepWork> devices{};  // the busiest first
  DeviceStepWork host{};                  // without a device: of its ops
  StepKernels kernels{};                  // of all devices, communication included
  std::vector<KernelRow> by_name{};       // the same, with copies
  std::vector<CopyRow> copies{};
};

[[nodiscard]] StepWork step_work(const EventTable& events, const DeviceWork& work,
                                 const std::vector<TraceStep>& steps, std::int64_t span_ns);

}  // namespace ridgeline
