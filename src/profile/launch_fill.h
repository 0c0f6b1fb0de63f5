#pragma once

#include <optional>
#include <vector>

#include "profile/occupancy.h"
#include "profile/op_tree.h"
#include "roofline/point.h"

namespace ridgeline {

// How well launches filled the device: means weighted by their time, over those that are known.
class LaunchFill {
 public:
  void add(const DeviceRecord& work, const std::optional<GpuShape>& gpu);
  void add(const LaunchFill& other);
  // Occupancy and waves of the point; absent where nothing is known.
  void give_to(RooflinePoint& point) const;

 private:
  double occupancy_ = 0;
  double waves_ = 0;
  double time_ = 0;
};

// Of each node its own launches.
[[nodiscard]] std::vector<LaunchFill> fill_of_nodes(const Recording& recording, const OpTree& tree,
                                                    const std::optional<GpuShape>& gpu);

}  // namespace ridgeline
