#include "profile/module_table.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "core/format.h"
#include "core/table.h"
#include "report/units_text.h"

namespace ridgeline {
namespace {

constexpr const char* kNoModule = "(no module)";

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

// "a.b.c" -> "a.b" -> "a" -> "".
std::string parent_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

void add_time(ModuleRow& row, const OpTotal& total) {
  switch (total.phase) {
    case StepPhase::Forward:
      row.forward += total.self;
      break;
    case StepPhase::Backward:
      row.backward += total.self;
      break;
    case StepPhase::Optimizer:
      row.optimizer += total.self;
      break;
    case StepPhase::None:
      row.other += total.self;
      break;
  }
  row.device_in[static_cast<std::size_t>(total.phase)] += total.device_self;
}

// Names are numbered as they are first seen, so their numbers give the order of first use; a name
// above others takes the place of its first.
class ModuleTree {
 public:
  explicit ModuleTree(const Recording& recording) {
    for (const OpTotal& total : recording.totals) {
      if (total.beside) continue;
      std::string name = recording.name(total.module);
      rows_[name].self += total.self;
      note(name, total.module);
      while (true) {
        add_time(rows_[name], total);
        if (name.empty() || parent_of(name).empty()) break;
        name = parent_of(name);
        note(name, total.module);
      }
    }
  }

  [[nodiscard]] std::vector<ModuleRow> in_order() {
    std::vector<ModuleRow> rows;
    append("", 0, rows);
    if (const auto none = rows_.find(""); none != rows_.end()) rows.push_back(none->second);
    return rows;
  }

 private:
  void note(const std::string& name, NameId number) {
    const auto [place, fresh] = first_.emplace(name, number);
    if (!fresh) place->second = std::min(place->second, number);
  }

  void append(const std::string& parent, std::size_t depth, std::vector<ModuleRow>& rows) {
    std::vector<std::pair<NameId, std::string>> inside;
    for (const auto& [name, number] : first_) {
      if (!name.empty() && parent_of(name) == parent) inside.emplace_back(number, name);
    }
    std::ranges::sort(inside);
    for (const auto& [number, name] : inside) {
      ModuleRow row = rows_[name];
      row.name = name;
      row.depth = depth;
      rows.push_back(std::move(row));
      append(name, depth + 1, rows);
    }
  }

  std::map<std::string, ModuleRow> rows_;
  std::map<std::string, NameId> first_;
};

// The rows of a finished table by name.
class RowsByName {
 public:
  explicit RowsByName(ModuleTable& table) : table_(table) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) places_.emplace(table.rows[i].name, i);
  }
  template <class Add>
  void add(std::string name, const Add& add_to) {
    bool found = false;
    for (; !name.empty(); name = parent_of(name)) {
      const auto place = places_.find(name);
      if (place == places_.end()) continue;
      found = true;
      add_to(table_.rows[place->second]);
    }
    if (found) return;
    const auto [place, fresh] = places_.try_emplace("", table_.rows.size());
    if (fresh) table_.rows.emplace_back();
    add_to(table_.rows[place->second]);
  }

 private:
  ModuleTable& table_;
  std::map<std::string, std::size_t> places_;
};

std::string share(Nanoseconds part, Nanoseconds whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Programs that tell no phases have theirs in the CSV file alone, under "other".
bool shows_flop(const ModuleTable& table) {
  return std::ranges::any_of(table.rows, [](const ModuleRow& row) {
    return row.flop(StepPhase::Forward).count > 0 || row.flop(StepPhase::Backward).count > 0;
  });
}

}  // namespace

ModuleTable module_table(const Recording& recording) {
  ModuleTable table{.rows = ModuleTree(recording).in_order(),
                    .step_count = recording.steps.size(),
                    .has_device = !recording.device.empty()};
  for (const RecordedStep& step : recording.steps) table.steps += step.end - step.start;
  for (const DeviceRecord& work : recording.device) table.device += work.end - work.start;
  return table;
}

void add_flop(ModuleTable& table, const Recording& recording, const std::vector<FrameFlop>& work) {
  if (work.empty()) return;
  table.has_flop = true;
  RowsByName rows(table);
  for (const FrameFlop& done : work) {
    rows.add(recording.name(done.frame->module), [&](ModuleRow& row) {
      Flop& sum = row.flop_in[static_cast<std::size_t>(done.frame->phase)];
      sum = sum + done.flop;
    });
  }
}

void add_parameters(ModuleTable& table, const std::vector<ParameterSize>& parameters) {
  if (parameters.empty()) return;
  table.has_parameters = true;
  RowsByName rows(table);
  for (const ParameterSize& parameter : parameters)
    rows.add(parent_of(parameter.name), [&](ModuleRow& row) { row.parameters += parameter.count; });
}

ReaderTable reader_table(const ModuleTable& table, std::size_t deepest) {
  std::vector<Column> columns{{.title = "module"},
                              {.title = "forward/step", .right_aligned = true},
                              {.title = "backward/step", .right_aligned = true},
                              {.title = "optimizer/step", .right_aligned = true},
                              {.title = "other/step", .right_aligned = true},
                              {.title = "share", .right_aligned = true}};
  if (table.has_device) {
    columns.back().title = "device share";
    columns.push_back({.title = "host/step", .right_aligned = true});
  }
  if (table.has_parameters) columns.push_back({.title = "parameters", .right_aligned = true});
  const bool with_flop = shows_flop(table);
  if (with_flop) {
    columns.push_back({.title = "forward FLOP", .right_aligned = true});
    columns.push_back({.title = "backward FLOP", .right_aligned = true});
  }
  ReaderTable shown{.columns = std::move(columns), .rows = {}};
  const auto steps = static_cast<double>(std::max<std::size_t>(table.step_count, 1));
  const auto time = [&](Nanoseconds sum) {
    return sum == 0 ? std::string("-") : format_seconds(seconds(sum) / steps);
  };
  for (const ModuleRow& row : table.rows) {
    if (row.depth > deepest) continue;
    const std::string name =
        std::string(2 * row.depth, ' ') + (row.name.empty() ? kNoModule : row.name);
    std::vector<std::string> cells{name,
                                   time(row.forward),
                                   time(row.backward),
                                   time(row.optimizer),
                                   time(row.other),
                                   share(row.total(), table.steps)};
    if (table.has_device) {
      const auto on_device = [&](StepPhase phase) {
        return time(row.device_in[static_cast<std::size_t>(phase)]);
      };
      cells = {name,
               on_device(StepPhase::Forward),
               on_device(StepPhase::Backward),
               on_device(StepPhase::Optimizer),
               on_device(StepPhase::None),
               share(row.device(), table.device),
               time(row.total())};
    }
    if (table.has_parameters)
      cells.push_back(row.parameters > 0 ? format_count(static_cast<double>(row.parameters)) : "-");
    if (with_flop) {
      for (const StepPhase phase : {StepPhase::Forward, StepPhase::Backward})
        cells.push_back(row.flop(phase).count > 0 ? flop_text(row.flop(phase).count / steps) : "-");
    }
    shown.rows.push_back(std::move(cells));
  }
  return shown;
}

std::string to_text(const ModuleTable& table, std::size_t deepest) {
  ReaderTable rows = reader_table(table, deepest);
  Table text(std::move(rows.columns));
  for (auto& cells : rows.rows) text.add(std::move(cells));
  return text.to_text();
}

CsvTable to_csv_table(const ModuleTable& table) {
  CsvTable csv{.header = {"module", "depth", "forward_s", "backward_s", "optimizer_s", "other_s",
                          "total_s", "self_s", "share", "device_s", "device_forward_s",
                          "device_backward_s", "device_optimizer_s", "device_other_s", "steps"},
               .rows = {}};
  if (table.has_parameters) csv.header.emplace_back("parameters");
  if (table.has_flop)
    csv.header.insert(csv.header.end(),
                      {"forward_flop", "backward_flop", "optimizer_flop", "other_flop"});
  for (const ModuleRow& row : table.rows) {
    const auto number = [](Nanoseconds time) { return csv_number(seconds(time).count()); };
    const auto on_device = [&](Nanoseconds time) {
      return table.has_device ? number(time) : std::string();
    };
    const double part =
        table.steps > 0 ? static_cast<double>(row.total()) / static_cast<double>(table.steps) : 0;
    csv.rows.push_back({row.name, std::to_string(row.depth), number(row.forward),
                        number(row.backward), number(row.optimizer), number(row.other),
                        number(row.total()), number(row.self), csv_number(part),
                        on_device(row.device()), on_device(row.device_in[1]),
                        on_device(row.device_in[2]), on_device(row.device_in[3]),
                        on_device(row.device_in[0]), std::to_string(table.step_count)});
    if (table.has_parameters) csv.rows.back().push_back(std::to_string(row.parameters));
    if (!table.has_flop) continue;
    for (const StepPhase phase :
         {StepPhase::Forward, StepPhase::Backward, StepPhase::Optimizer, StepPhase::None})
      csv.rows.back().push_back(row.flop(phase).count > 0 ? csv_integer(row.flop(phase).count)
                                                          : "");
  }
  return csv;
}

}  // namespace ridgeline
