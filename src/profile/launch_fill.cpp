#include "profile/launch_fill.h"

namespace ridgeline {

void LaunchFill::add(const DeviceRecord& work, const std::optional<GpuShape>& gpu) {
  if (!gpu) return;
  const auto occupancy = estimated_occupancy(work, *gpu);
  const auto waves = estimated_waves(work, *gpu);
  if (!occupancy || !waves) return;
  const auto time = static_cast<double>(work.end - work.start);
  occupancy_ += *occupancy * time;
  waves_ += *waves * time;
  time_ += time;
}

void LaunchFill::add(const LaunchFill& other) {
  occupancy_ += other.occupancy_;
  waves_ += other.waves_;
  time_ += other.time_;
}

void LaunchFill::give_to(RooflinePoint& point) const {
  if (!(time_ > 0)) return;
  point.occupancy_percent = 100 * occupancy_ / time_;
  point.waves = waves_ / time_;
}

std::vector<LaunchFill> fill_of_nodes(const Recording& recording, const OpTree& tree,
                                      const std::optional<GpuShape>& gpu) {
  std::vector<LaunchFill> fills(tree.nodes.size());
  for (std::size_t i = 0; i < recording.device.size(); ++i) {
    if (tree.launchers[i] != OpNode::kNone) fills[tree.launchers[i]].add(recording.device[i], gpu);
  }
  return fills;
}

}  // namespace ridgeline
