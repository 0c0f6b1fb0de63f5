#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/occupancy.h"
#include "profile/records.h"
#include "roofline/op_cost.h"
#include "roofline/point.h"

namespace ridgeline {

// What a point of a roofline is. Kernels need a device that was watched.
enum class PointsPer { Kernel, Op, Module, Phase, Step };
// Throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] PointsPer parse_points_per(std::string_view word);

struct ShapePointOptions {
  PointsPer per = PointsPer::Op;
  OpCostOptions cost{};
  // Levels that get bytes. From shapes each has the same: what must pass through it at least.
  std::vector<MemoryLevel> levels{MemoryLevel::Dram};
  std::optional<GpuShape> gpu{};  // where it is known points tell how well they filled it
};

// What no cost model knows, by name, longest first: shown with its time, never as zero work.
struct UnmodelledOp {
  std::string name{};
  Seconds time{};  // a step
};

// A recording of some steps as points of one step (averages): time from the recording, the device's
// where it was watched and else the host's own of each op; work from shapes. Points of one label
// are apart by shapes, phase and kind, so that each is judged on its own ceiling; grouped() by
// Kernel puts them together. On a host the points' times add up to the step's: what lies between
// ops, in views and in wrappers is a point of its own, overhead.
struct ShapePoints {
  std::vector<RooflinePoint> points{};
  std::vector<UnmodelledOp> unmodelled{};
  Seconds step{};  // on the clock, mean
  bool on_device = false;
};

// The recording must have shapes and values. Throws Error(BadInput) when it has no whole step, lost
// records to its limit, or kernels are asked for and there are none.
[[nodiscard]] ShapePoints shape_points(const Recording& recording,
                                       const ShapePointOptions& options);

// The last recorded step, launch by launch: what join_counters() takes.
struct ShapeLaunches {
  std::vector<std::string> kernels{};   // whole names, in the order of their launches
  std::vector<RooflinePoint> points{};  // one each
  std::vector<RooflinePoint> others{};  // copies and sets, which no counter sees
};
[[nodiscard]] ShapeLaunches shape_launches(const Recording& recording,
                                           const ShapePointOptions& options);

}  // namespace ridgeline
