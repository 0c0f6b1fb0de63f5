#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/parameter_sizes.h"
#include "profile/module_table.h"
#include "profile/op_table.h"

namespace ridgeline {

// What is shown of a profile, and how.
struct ProfileView {
  OpGrouping grouping = OpGrouping::Op;
  OpOrder order = OpOrder::Self;
  std::size_t top = 15;
  std::size_t module_depth = 1;
  std::optional<GpuShape> gpu{};            // that the steps run on
  std::vector<ParameterSize> parameters{};  // of the model, where they are known
  std::string shapes_word = "--shapes";     // what records shapes, for whoever reads the tables
};

// The tables of a profile with all that the recording and the model can tell.
struct ProfileTables {
  OpTable ops{};                     // those of kernels, with that grouping, stand beside it
  std::optional<OpTable> kernels{};  // and copies; where device work was recorded
  ModuleTable modules{};
  // Why there are no FLOPs in them, and what would bring them; empty where there are some.
  std::string flop_note{};
};
[[nodiscard]] ProfileTables profile_tables(const Recording& recording, const ProfileView& view);

}  // namespace ridgeline
