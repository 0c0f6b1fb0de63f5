#include "profile/op_table.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "profile/shape_text.h"

namespace ridgeline {
namespace {

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

// Of a total or of one frame.
template <class Described>
std::string detail_of(const Recording& recording, const Described& op, OpGrouping grouping) {
  if (grouping == OpGrouping::Shape) return std::string(dimensions_of(recording.name(op.shape)));
  if (grouping == OpGrouping::Module) return recording.name(op.module);
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

// The rows of a finished table, for what single frames did. A frame whose time no total has, as it
// took none, is a row of its own at the end.
class RowsOfFrames {
 public:
  RowsOfFrames(OpTable& table, const Recording& recording) : table_(table), recording_(recording) {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      places_.emplace(std::pair(table.rows[i].name, table.rows[i].detail), i);
  }
  [[nodiscard]] OpRow& of(const OpRecord& frame) {
    auto key =
        std::pair(recording_.name(frame.name), detail_of(recording_, frame, table_.grouping));
    const auto [place, fresh] = places_.try_emplace(key, table_.rows.size());
    if (fresh) table_.rows.push_back({.name = key.first, .detail = key.second});
    return table_.rows[place->second];
  }

 private:
  OpTable& table_;
  const Recording& recording_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace

std::optional<FlopPerSecond> OpRow::achieved() const {
  if (!(flop.count > 0) || flop_time <= 0) return std::nullopt;
  return flop / Seconds(std::chrono::nanoseconds(flop_time));
}

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

void add_flop(OpTable& table, const Recording& recording, const std::vector<FrameFlop>& work) {
  if (table.grouping == OpGrouping::Kernel || work.empty()) return;
  table.has_flop = true;
  RowsOfFrames rows(table, recording);
  for (const FrameFlop& done : work) {
    OpRow& row = rows.of(*done.frame);
    row.flop = row.flop + done.flop;
    row.flop_time += done.time;
  }
}

void add_memory(OpTable& table, const Recording& recording,
                const std::vector<FrameMemory>& memory) {
  if (table.grouping == OpGrouping::Kernel || memory.empty()) return;
  table.has_memory = true;
  RowsOfFrames rows(table, recording);
  for (const FrameMemory& used : memory) {
    if (!is_op(used.frame->kind)) continue;
    OpRow& row = rows.of(*used.frame);
    row.self_memory += used.self;
    row.memory += used.total;
  }
}

}  // namespace ridgeline
