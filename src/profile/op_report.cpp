#include "profile/op_report.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/display.h"
#include "core/format.h"
#include "core/utf8.h"
#include "report/units_text.h"

namespace ridgeline {
namespace {

constexpr std::size_t kWidestName = 56;
// Where columns of work and memory follow, so that the whole fits a terminal. Beside those of a
// device the host's share and the net bytes find no room; the CSV file has them.
constexpr std::size_t kWidestBesideMore = 32;

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

bool has_more(const OpTable& table) { return table.has_flop || table.has_memory; }
bool shows_host_share(const OpTable& table) { return !table.has_device || !has_more(table); }

std::string shortened(const OpTable& table, const std::string& text) {
  return ridgeline::shortened(printable(with_valid_utf8(text)),
                              has_more(table) ? kWidestBesideMore : kWidestName);
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
    if (shows_host_share(table)) columns.push_back({.title = "share", .right_aligned = true});
    columns.push_back({.title = "total/step", .right_aligned = true});
  }
  if (kernels || table.has_device) {
    columns.push_back({.title = "device/step", .right_aligned = true});
    columns.push_back({.title = "device share", .right_aligned = true});
  }
  if (table.has_flop) {
    columns.push_back({.title = "FLOP/step", .right_aligned = true});
    columns.push_back({.title = "FLOP/s", .right_aligned = true});
  }
  if (table.has_memory) {
    columns.push_back({.title = "alloc/step", .right_aligned = true});
    if (!table.has_device) columns.push_back({.title = "net/step", .right_aligned = true});
  }
  return columns;
}

void add_launch_cells(std::vector<std::string>& cells, const std::optional<LaunchShape>& launch) {
  cells.push_back(launch ? std::to_string(launch->registers) : "");
  cells.push_back(launch ? format_bytes({static_cast<double>(launch->shared_memory)}) : "");
  cells.push_back(launch && launch->occupancy ? fmt::format("{:.0f} %", 100 * *launch->occupancy)
                                              : "");
}

void add_work_cells(std::vector<std::string>& cells, const OpRow& row, double steps) {
  const auto achieved = row.achieved();
  cells.push_back(row.flop.count > 0 ? flop_text(row.flop.count / steps) : "-");
  cells.push_back(achieved ? flop_text(achieved->value) : "-");
}

std::string bytes_a_step(std::int64_t bytes, double steps) {
  return bytes == 0 ? "-" : format_bytes({static_cast<double>(bytes) / steps});
}

std::vector<std::string> cells_of(const OpTable& table, const OpRow& row, Nanoseconds device) {
  const auto steps = static_cast<double>(std::max<std::size_t>(table.step_count, 1));
  const bool kernels = table.grouping == OpGrouping::Kernel;
  std::vector<std::string> cells{shortened(table, row.name)};
  if (detail_title(table.grouping) != nullptr) cells.push_back(shortened(table, row.detail));
  if (kernels) add_launch_cells(cells, row.launch);
  cells.push_back(fmt::format("{:.4g}", static_cast<double>(row.calls) / steps));
  if (!kernels) {
    cells.push_back(format_seconds(seconds(row.self) / steps));
    if (shows_host_share(table)) cells.push_back(percent(row.self, table.steps));
    cells.push_back(format_seconds(seconds(row.total) / steps));
  }
  if (kernels || table.has_device) {
    cells.push_back(format_seconds(seconds(row.device_self) / steps));
    cells.push_back(percent(row.device_self, device));
  }
  if (table.has_flop) add_work_cells(cells, row, steps);
  if (table.has_memory) {
    cells.push_back(bytes_a_step(row.memory.allocated, steps));
    if (!table.has_device) cells.push_back(bytes_a_step(row.memory.net, steps));
  }
  return cells;
}

std::vector<std::string> csv_cells(const OpTable& table, const OpRow& row) {
  const double share =
      table.steps > 0 ? static_cast<double>(row.self) / static_cast<double>(table.steps) : 0;
  std::vector<std::string> cells{
      row.name,
      row.detail,
      std::to_string(row.calls),
      csv_number(seconds(row.self).count()),
      csv_number(share),
      csv_number(seconds(row.total).count()),
      table.has_device ? csv_number(seconds(row.device_self).count()) : "",
      table.has_device ? csv_number(seconds(row.device_total).count()) : "",
      std::to_string(table.step_count)};
  if (table.grouping == OpGrouping::Kernel) {
    cells.push_back(row.launch ? std::to_string(row.launch->registers) : "");
    cells.push_back(row.launch ? std::to_string(row.launch->shared_memory) : "");
    cells.push_back(row.launch ? csv_number(row.launch->occupancy) : "");
  }
  if (table.has_flop) {
    const auto achieved = row.achieved();
    cells.push_back(row.flop.count > 0 ? csv_integer(row.flop.count) : "");
    cells.push_back(achieved ? csv_number(achieved->value) : "");
  }
  if (table.has_memory) {
    for (const std::int64_t bytes :
         {row.memory.allocated, row.memory.net, row.self_memory.allocated, row.self_memory.net})
      cells.push_back(std::to_string(bytes));
  }
  return cells;
}

}  // namespace

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
  const auto add_titles = [&](std::initializer_list<const char*> titles) {
    csv.header.insert(csv.header.end(), titles.begin(), titles.end());
  };
  if (table.grouping == OpGrouping::Kernel) add_titles({"registers", "shared_bytes", "occupancy"});
  if (table.has_flop) add_titles({"flop", "flop_per_s"});
  if (table.has_memory)
    add_titles({"allocated_bytes", "net_bytes", "self_allocated_bytes", "self_net_bytes"});
  for (const OpRow& row : table.rows) csv.rows.push_back(csv_cells(table, row));
  return csv;
}

}  // namespace ridgeline
