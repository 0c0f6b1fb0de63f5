#include "profile/op_table.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/format.h"
#include "core/text.h"
#include "profile/shape_text.h"

namespace ridgeline {
namespace {

constexpr std::size_t kWidestName = 56;

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

std::string shortened(const std::string& text) {
  if (text.size() <= kWidestName) return text;
  return text.substr(0, kWidestName - 3) + "...";
}

Nanoseconds rank(const OpRow& row, OpOrder order, bool has_device) {
  switch (order) {
    case OpOrder::Total:
      return row.total;
    case OpOrder::Calls:
      return static_cast<Nanoseconds>(row.calls);
    case OpOrder::Device:
      return has_device ? row.device_self : row.self;
    case OpOrder::Self:
      break;
  }
  return row.self;
}

std::string detail_of(const Recording& recording, const OpTotal& total, OpGrouping grouping) {
  if (grouping == OpGrouping::Shape) return std::string(dimensions_of(recording.name(total.shape)));
  if (grouping == OpGrouping::Module) return recording.name(total.module);
  return {};
}

// By name, detail, and of kernels registers and shared memory.
using Groups = std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint64_t>, OpRow>;

OpRow& group(Groups& groups, const std::string& name, const std::string& detail,
             std::uint32_t registers = 0, std::uint64_t shared_memory = 0) {
  OpRow& row = groups[{name, detail, registers, shared_memory}];
  row.name = name;
  row.detail = detail;
  return row;
}

void add_ops(Groups& groups, const Recording& recording, OpGrouping grouping) {
  for (const OpTotal& total : recording.totals) {
    if (!is_op(total.kind)) continue;
    OpRow& row = group(groups, recording.name(total.name), detail_of(recording, total, grouping));
    row.calls += total.calls;
    row.self += total.self;
    row.total += total.total;
    row.device_self += total.device_self;
    row.device_total += total.device_total;
  }
}

OpRow& kernel_group(Groups& groups, const DeviceRecord& work, const std::optional<GpuShape>& gpu) {
  if (work.kind != DeviceRecordKind::Kernel) return group(groups, work.name, {});
  const std::string launch = fmt::format("{}x{}x{} of {}x{}x{}", work.grid[0], work.grid[1],
                                         work.grid[2], work.block[0], work.block[1], work.block[2]);
  OpRow& row = group(groups, work.name, launch, work.registers, work.shared_memory);
  if (!row.launch)
    row.launch = LaunchShape{.registers = work.registers,
                             .shared_memory = work.shared_memory,
                             .occupancy = gpu ? estimated_occupancy(work, *gpu) : std::nullopt};
  return row;
}

void add_kernels(Groups& groups, const Recording& recording, const std::optional<GpuShape>& gpu) {
  for (const DeviceRecord& work : recording.device) {
    OpRow& row = kernel_group(groups, work, gpu);
    ++row.calls;
    row.device_self += work.end - work.start;
    row.device_total += work.end - work.start;
  }
}

const char* detail_title(OpGrouping grouping) {
  switch (grouping) {
    case OpGrouping::Shape:
      return "input shapes";
    case OpGrouping::Module:
      return "module";
    case OpGrouping::Kernel:
      return "grid of blocks";
    case OpGrouping::Op:
      break;
  }
  return nullptr;
}

std::string percent(Nanoseconds part, Nanoseconds whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

Nanoseconds device_outside_ops(const OpTable& table) {
  Nanoseconds rest = table.device;
  for (const OpRow& row : table.rows) rest -= row.device_self;
  return rest;
}

std::vector<Column> columns_of(const OpTable& table) {
  const bool kernels = table.grouping == OpGrouping::Kernel;
  std::vector<Column> columns{{.title = kernels ? "kernel" : "op"}};
  if (const char* title = detail_title(table.grouping)) columns.push_back({.title = title});
  if (kernels) {
    columns.push_back({.title = "registers", .right_aligned = true});
    columns.push_back({.title = "shared", .right_aligned = true});
    columns.push_back({.title = "occupancy", .right_aligned = true});
  }
  columns.push_back({.title = "calls/step", .right_aligned = true});
  if (!kernels) {
    columns.push_back({.title = "self/step", .right_aligned = true});
    columns.push_back({.title = "share", .right_aligned = true});
    columns.push_back({.title = "total/step", .right_aligned = true});
  }
  if (kernels || table.has_device) {
    columns.push_back({.title = "device/step", .right_aligned = true});
    columns.push_back({.title = "device share", .right_aligned = true});
  }
  return columns;
}

void add_launch_cells(std::vector<std::string>& cells, const std::optional<LaunchShape>& launch) {
  cells.push_back(launch ? std::to_string(launch->registers) : "");
  cells.push_back(launch ? format_bytes({static_cast<double>(launch->shared_memory)}) : "");
  cells.push_back(launch && launch->occupancy ? fmt::format("{:.0f} %", 100 * *launch->occupancy)
                                              : "");
}

std::vector<std::string> cells_of(const OpTable& table, const OpRow& row, Nanoseconds device) {
  const auto steps = static_cast<double>(std::max<std::size_t>(table.step_count, 1));
  const bool kernels = table.grouping == OpGrouping::Kernel;
  std::vector<std::string> cells{shortened(row.name)};
  if (detail_title(table.grouping) != nullptr) cells.push_back(shortened(row.detail));
  if (kernels) add_launch_cells(cells, row.launch);
  cells.push_back(fmt::format("{:.4g}", static_cast<double>(row.calls) / steps));
  if (!kernels) {
    cells.push_back(format_seconds(seconds(row.self) / steps));
    cells.push_back(percent(row.self, table.steps));
    cells.push_back(format_seconds(seconds(row.total) / steps));
  }
  if (kernels || table.has_device) {
    cells.push_back(format_seconds(seconds(row.device_self) / steps));
    cells.push_back(percent(row.device_self, device));
  }
  return cells;
}

}  // namespace

OpGrouping parse_op_grouping(std::string_view word) {
  if (word == "op") return OpGrouping::Op;
  if (word == "shape") return OpGrouping::Shape;
  if (word == "module") return OpGrouping::Module;
  if (word == "kernel") return OpGrouping::Kernel;
  throw bad_input(unknown_word("--group-by", word, {"op", "shape", "module", "kernel"}));
}

OpOrder parse_op_order(std::string_view word) {
  if (word == "self") return OpOrder::Self;
  if (word == "total") return OpOrder::Total;
  if (word == "calls") return OpOrder::Calls;
  if (word == "device") return OpOrder::Device;
  throw bad_input(unknown_word("--sort-by", word, {"self", "total", "calls", "device"}));
}

OpTable op_table(const Recording& recording, OpGrouping grouping, OpOrder order,
                 const std::optional<GpuShape>& gpu) {
  OpTable table{.grouping = grouping,
                .has_device = !recording.device.empty(),
                .step_count = recording.steps.size()};
  for (const RecordedStep& step : recording.steps) table.steps += step.end - step.start;
  for (const DeviceRecord& work : recording.device) table.device += work.end - work.start;
  for (const OpTotal& total : recording.totals) {
    if (total.beside) {
      table.beside += is_op(total.kind) ? total.self : 0;
    } else if (!is_op(total.kind)) {
      table.outside_ops += total.self;
    }
  }
  Groups groups;
  if (grouping == OpGrouping::Kernel) {
    add_kernels(groups, recording, gpu);
  } else {
    add_ops(groups, recording, grouping);
  }
  for (auto& [key, row] : groups) table.rows.push_back(std::move(row));
  // Groups come sorted by name, so that equal ranks have one order everywhere.
  std::ranges::stable_sort(table.rows, std::greater{}, [&](const OpRow& row) {
    return rank(row, grouping == OpGrouping::Kernel ? OpOrder::Device : order, table.has_device);
  });
  return table;
}

ReaderTable reader_table(const OpTable& table, std::size_t top) {
  ReaderTable shown{.columns = columns_of(table), .rows = {}};
  for (std::size_t i = 0; i < std::min(top, table.rows.size()); ++i)
    shown.rows.push_back(cells_of(table, table.rows[i], table.device));
  return shown;
}

std::string to_text(const OpTable& table, std::size_t top) {
  if (table.rows.empty()) {
    return table.grouping == OpGrouping::Kernel ? "no kernels: nothing ran on a GPU\n"
                                                : "no ops were recorded\n";
  }
  ReaderTable rows = reader_table(table, top);
  Table text(std::move(rows.columns));
  const std::size_t shown = rows.rows.size();
  for (auto& cells : rows.rows) text.add(std::move(cells));
  std::string out = text.to_text();
  if (shown < table.rows.size())
    out += fmt::format("{} more; all are in the CSV file\n", table.rows.size() - shown);
  if (table.grouping != OpGrouping::Kernel)
    out += fmt::format("between ops: {} of the steps' time\n",
                       percent(table.outside_ops, table.steps));
  if (const Nanoseconds rest = device_outside_ops(table); rest > 0)
    out += fmt::format("on the device, launched by no op: {} of its time\n",
                       percent(rest, table.device));
  if (table.beside > 0)
    out += fmt::format("on other threads, beside the step: {}\n",
                       format_seconds(seconds(table.beside)));
  return out;
}

CsvTable to_csv_table(const OpTable& table) {
  const char* const detail = detail_title(table.grouping);
  CsvTable csv{.header = {table.grouping == OpGrouping::Kernel ? "kernel" : "op",
                          detail == nullptr ? "detail" : detail, "calls", "self_s", "self_share",
                          "total_s", "device_self_s", "device_total_s", "steps"},
               .rows = {}};
  if (table.grouping == OpGrouping::Kernel)
    csv.header.insert(csv.header.end(), {"registers", "shared_bytes", "occupancy"});
  for (const OpRow& row : table.rows) {
    const double share =
        table.steps > 0 ? static_cast<double>(row.self) / static_cast<double>(table.steps) : 0;
    csv.rows.push_back({row.name, row.detail, std::to_string(row.calls),
                        csv_number(seconds(row.self).count()), csv_number(share),
                        csv_number(seconds(row.total).count()),
                        table.has_device ? csv_number(seconds(row.device_self).count()) : "",
                        table.has_device ? csv_number(seconds(row.device_total).count()) : "",
                        std::to_string(table.step_count)});
    if (table.grouping != OpGrouping::Kernel) continue;
    auto& cells = csv.rows.back();
    cells.push_back(row.launch ? std::to_string(row.launch->registers) : "");
    cells.push_back(row.launch ? std::to_string(row.launch->shared_memory) : "");
    cells.push_back(row.launch ? csv_number(row.launch->occupancy) : "");
  }
  return csv;
}

}  // namespace ridgeline
