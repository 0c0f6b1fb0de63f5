#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profile/launch_fill.h"
#include "profile/op_tree.h"
#include "profile/shape_points.h"

namespace ridgeline {

// A point's time in each recorded step: one in which the machine did something else must not stand
// for all.
class PointTimes {
 public:
  void add(std::size_t step, std::size_t steps, Seconds time);
  // Replays of a graph are not told apart by step.
  void spread(std::size_t steps, Seconds time);
  // The median; the mean of what most steps did not do, which has no median to speak of.
  [[nodiscard]] Seconds of_one() const;

 private:
  std::vector<Seconds> times_;
};

// Sums of all recorded steps, by what a point is.
class PointSums {
 public:
  // Of the steps that begin at `starts`, in order; recording and options must outlive this.
  PointSums(const Recording& recording, const ShapePointOptions& options,
            std::vector<Nanoseconds> starts)
      : recording_(recording), options_(options), starts_(std::move(starts)) {}

  // A node with all that it launched itself.
  void add_node(const OpTree& tree, std::size_t node, double part, const LaunchFill& fill);
  // One piece of work of a device, and `part` of what its op asks for.
  void add_launch(const OpTree& tree, std::size_t launch, double part);
  // Of one step, longest first.
  [[nodiscard]] std::vector<RooflinePoint> per_step() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, OpKind, bool>;

  RooflinePoint& add(const OpTree& tree, std::size_t node, Nanoseconds time, double part,
                     const std::string& kernel);
  void add_orphan(const DeviceRecord& work);
  void add_time(const RooflinePoint& point, Nanoseconds at, Nanoseconds time);
  std::string label_of(const OpRecord& frame, bool overhead, const std::string& kernel) const;
  RooflinePoint& point_for(const OpRecord& frame, bool overhead, bool known,
                           const std::string& kernel);

  const Recording& recording_;
  const ShapePointOptions& options_;
  std::vector<Nanoseconds> starts_;
  std::map<Key, RooflinePoint> points_;
  // By places in the map above, which stay.
  std::map<const RooflinePoint*, PointTimes> times_;
  std::map<const RooflinePoint*, LaunchFill> fills_;
};

}  // namespace ridgeline
