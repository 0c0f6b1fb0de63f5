#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/units.h"
#include "models/parameter_sizes.h"
#include "profile/frame_flop.h"
#include "profile/records.h"
#include "report/csv.h"
#include "report/reader_table.h"

namespace ridgeline {

struct ModuleRow {
  std::string name{};   // "layers.3.attn"; empty for what lies in no module
  std::size_t depth{};  // dots above it that are rows too
  // Host time, with what lies inside the module's own modules.
  Nanoseconds forward{};
  Nanoseconds backward{};
  Nanoseconds optimizer{};
  Nanoseconds other{};
  Nanoseconds self{};  // all phases, without the modules inside
  // Device time of the same, by StepPhase.
  std::array<Nanoseconds, 4> device_in{};
  [[nodiscard]] Nanoseconds device() const {
    return device_in[0] + device_in[1] + device_in[2] + device_in[3];
  }
  [[nodiscard]] Nanoseconds total() const { return forward + backward + optimizer + other; }
  // With those of the modules inside, as times are.
  std::array<Flop, 4> flop_in{};  // by StepPhase
  std::int64_t parameters{};
  [[nodiscard]] Flop flop(StepPhase phase) const {
    return flop_in[static_cast<std::size_t>(phase)];
  }
};

// Time by module: the ops of the forward that ran inside it and the nodes of the backward that
// those made, on the thread that steps. In the order of first use, each followed by those inside
// it; a name above others that opened no scope of its own ("layer1" over "layer1.0") gets a row
// too. Where there is a device people see its times: the host's then only say who launched.
struct ModuleTable {
  std::vector<ModuleRow> rows{};
  Nanoseconds steps{};
  Nanoseconds device{};  // of all records, with those that belong to no frame
  std::size_t step_count{};
  bool has_device = false;
  bool has_flop = false;        // add_flop found some
  bool has_parameters = false;  // add_parameters found some
};

[[nodiscard]] ModuleTable module_table(const Recording& recording);
// Each goes to the module it lies in, or the nearest around that which has a row, and to all around
// it; what lies in none goes to the row of no module. So the outermost rows add up to the whole.
void add_flop(ModuleTable& table, const Recording& recording, const std::vector<FrameFlop>& work);
void add_parameters(ModuleTable& table, const std::vector<ParameterSize>& parameters);
// Rows down to `deepest` levels; 0 shows the outermost.
[[nodiscard]] ReaderTable reader_table(const ModuleTable& table, std::size_t deepest);
[[nodiscard]] std::string to_text(const ModuleTable& table, std::size_t deepest);
[[nodiscard]] CsvTable to_csv_table(const ModuleTable& table);

}  // namespace ridgeline
