#include "profile/profile_tables.h"

#include <fmt/format.h>

namespace ridgeline {

ProfileTables profile_tables(const Recording& recording, const ProfileView& view) {
  const OpGrouping grouping = view.grouping == OpGrouping::Kernel ? OpGrouping::Op : view.grouping;
  ProfileTables tables{.ops = op_table(recording, grouping, view.order),
                       .modules = module_table(recording)};
  if (!recording.device.empty())
    tables.kernels = op_table(recording, OpGrouping::Kernel, OpOrder::Device, view.gpu);
  const FlopCount work = count_flop(recording);
  add_flop(tables.ops, recording, work.frames);
  add_flop(tables.modules, recording, work.frames);
  add_memory(tables.ops, recording, frame_memory(recording));
  add_parameters(tables.modules, view.parameters);
  switch (work.lack) {
    case FlopLack::None:
      break;
    case FlopLack::Shapes:
      tables.flop_note = fmt::format("FLOPs need shapes: {}.", view.shapes_word);
      break;
    case FlopLack::Records:
      tables.flop_note =
          "No FLOPs: some ops or kernels were not recorded, and a part of them would "
          "look like all.";
      break;
  }
  return tables;
}

}  // namespace ridgeline
