#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "profile/frame_flop.h"
#include "profile/frame_memory.h"
#include "profile/occupancy.h"
#include "profile/records.h"

namespace ridgeline {

enum class OpGrouping { Op, Shape, Module, Kernel };
// Device: device time, or host time where nothing ran on a device.
enum class OpOrder { Self, Total, Calls, Device };

// Each throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] OpGrouping parse_op_grouping(std::string_view word);
[[nodiscard]] OpOrder parse_op_order(std::string_view word);

// What a launch asked of each multiprocessor.
struct LaunchShape {
  std::uint32_t registers{};  // a thread
  std::uint64_t shared_memory{};
  std::optional<double> occupancy{};  // estimated_occupancy, where the GPU is known
};

struct OpRow {
  std::string name{};
  std::string detail{};  // the shape or module of the group; the launch of a kernel
  std::uint64_t calls{};
  Nanoseconds self{};
  Nanoseconds total{};
  Nanoseconds device_self{};
  Nanoseconds device_total{};
  std::optional<LaunchShape> launch{};  // of kernels
  Flop flop{};                          // done by these ops themselves, not by ops inside them
  Nanoseconds flop_time{};              // that it took (FrameFlop)
  AllocatedBytes self_memory{};
  AllocatedBytes memory{};  // with that of the ops inside; an op inside one of its name once
  // Absent where nothing is computed or the time is not known.
  [[nodiscard]] std::optional<FlopPerSecond> achieved() const;
};

// Self times of the rows and `outside_ops`, less `beside`, add up to `steps`.
struct OpTable {
  OpGrouping grouping = OpGrouping::Op;
  std::vector<OpRow> rows{};  // the most expensive first
  Nanoseconds steps{};        // time of all recorded steps
  Nanoseconds outside_ops{};  // of it, the time in no op: our own code between them
  Nanoseconds beside{};       // of ops, on threads beside the one that steps
  Nanoseconds device{};       // of all device records: what the rows have and what no op launched
  bool has_device = false;
  bool has_flop = false;    // add_flop found some
  bool has_memory = false;  // add_memory found some
  std::size_t step_count{};
};

// Ops grouped and sorted; with Kernel, what ran on the device, a row for every way it was launched.
[[nodiscard]] OpTable op_table(const Recording& recording, OpGrouping grouping, OpOrder order,
                               const std::optional<GpuShape>& gpu = std::nullopt);

// What the recording's frames did, added to the rows they belong to. A table of kernels has none.
void add_flop(OpTable& table, const Recording& recording, const std::vector<FrameFlop>& work);
void add_memory(OpTable& table, const Recording& recording, const std::vector<FrameMemory>& memory);

}  // namespace ridgeline
