#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "profile/occupancy.h"
#include "profile/records.h"
#include "report/csv.h"
#include "report/reader_table.h"

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
  std::size_t step_count{};
};

// Ops grouped and sorted; with Kernel, what ran on the device, a row for every way it was launched.
[[nodiscard]] OpTable op_table(const Recording& recording, OpGrouping grouping, OpOrder order,
                               const std::optional<GpuShape>& gpu = std::nullopt);

// At most `top` rows, as they are shown to people.
[[nodiscard]] ReaderTable reader_table(const OpTable& table, std::size_t top);
[[nodiscard]] std::string to_text(const OpTable& table, std::size_t top);
[[nodiscard]] CsvTable to_csv_table(const OpTable& table);

}  // namespace ridgeline
