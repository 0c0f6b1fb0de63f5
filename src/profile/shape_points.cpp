#include "profile/shape_points.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "profile/launch_fill.h"
#include "profile/op_tree.h"
#include "profile/shape_text.h"

namespace ridgeline {
namespace {

constexpr std::size_t kLongestDetail = 160;
constexpr const char* kOverhead = "(overhead)";
constexpr const char* kStep = "step";
constexpr const char* kNoOp = "(launched by no op)";

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

std::string detail_of(const Recording& recording, const OpRecord& frame) {
  std::string text(dimensions_of(recording.name(frame.shape)));
  if (text.size() > kLongestDetail) text = text.substr(0, kLongestDetail - 3) + "...";
  return text;
}

std::string phase_of(const OpRecord& frame) {
  return frame.phase == StepPhase::None ? "other" : std::string(name_of(frame.phase));
}

// Sums of all recorded steps, by what a point is.
class PointSums {
 public:
  PointSums(const Recording& recording, const ShapePointOptions& options)
      : recording_(recording), options_(options) {}

  // Time of `node`, and of its work the part that it stands for.
  RooflinePoint& add(const OpTree& tree, std::size_t node, Nanoseconds time, double part,
                     const std::string& kernel) {
    const OpNode& spent = tree.nodes[node];
    const bool worked = spent.owner != OpNode::kNone;
    const OpNode& owner = worked ? tree.nodes[spent.owner] : spent;
    const bool overhead = !worked && spent.overhead && !tree.on_device;
    RooflinePoint& point = point_for(*owner.frame, overhead, worked, kernel);
    point.time += seconds(time);
    if (!worked) {
      point.calls += overhead ? 0 : spent.calls;
      return point;
    }
    if (spent.owner == node || !kernel.empty()) point.calls += kernel.empty() ? spent.calls : 1;
    const double calls = part * static_cast<double>(owner.calls);
    for (std::size_t i = 0; i < kComputePaths; ++i)
      point.flop[i] = point.flop[i] + calls * owner.work->flop[i];
    for (const MemoryLevel level : options_.levels) {
      auto& bytes = point.bytes[index_of(level)];
      bytes = bytes.value_or(Bytes{}) + calls * owner.work->bytes;
    }
    return point;
  }

  // One piece of work of a device, and `part` of what its op asks for.
  void add_launch(const OpTree& tree, std::size_t launch, double part) {
    const DeviceRecord& work = recording_.device[launch];
    const std::size_t node = tree.launchers[launch];
    if (node == OpNode::kNone) return add_orphan(work);
    RooflinePoint& point = add(tree, node, work.end - work.start, part, work.name);
    fills_[&point].add(work, options_.gpu);
    if (work.kind == DeviceRecordKind::Kernel || part > 0) return;
    for (const MemoryLevel level : options_.levels) {
      auto& bytes = point.bytes[index_of(level)];
      bytes = bytes.value_or(Bytes{}) + Bytes{static_cast<double>(work.bytes)};
    }
  }

  // A node with all that it launched itself.
  void add_node(const OpTree& tree, std::size_t node, double part, const LaunchFill& fill) {
    fills_[&add(tree, node, tree.nodes[node].time, part, {})].add(fill);
  }

  void add_orphan(const DeviceRecord& work) {
    const std::string label = options_.per == PointsPer::Kernel ? work.name
                              : options_.per == PointsPer::Step ? kStep
                                                                : kNoOp;
    RooflinePoint& point = points_[{label, "", "", OpKind::Other, true}];
    if (!point.by_shapes) point.calls = 0;  // just made
    point.label = label;
    point.by_shapes = true;
    point.time += seconds(work.end - work.start);
    ++point.calls;
  }

  // Of one step, longest first.
  [[nodiscard]] std::vector<RooflinePoint> per_step(std::size_t steps) const {
    const double part = 1 / static_cast<double>(steps);
    std::vector<RooflinePoint> points;
    for (const auto& [key, sum] : points_) {
      if (!(sum.time.count() > 0)) continue;
      RooflinePoint point = sum;
      if (const auto fill = fills_.find(&sum); fill != fills_.end()) fill->second.give_to(point);
      point.time *= part;
      point.calls = std::max<std::uint64_t>(1, point.calls / steps);
      for (Flop& flop : point.flop) flop = part * flop;
      for (auto& bytes : point.bytes)
        if (bytes) bytes = part * *bytes;
      points.push_back(std::move(point));
    }
    std::ranges::stable_sort(points, std::greater{}, &RooflinePoint::time);
    return points;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, OpKind, bool>;

  std::string label_of(const OpRecord& frame, bool overhead, const std::string& kernel) const {
    switch (options_.per) {
      case PointsPer::Kernel:
        return kernel;
      case PointsPer::Op:
        return overhead ? kOverhead : recording_.name(frame.name);
      case PointsPer::Module:
        return frame.module == 0 ? "(no module)" : recording_.name(frame.module);
      case PointsPer::Phase:
        return phase_of(frame);
      case PointsPer::Step:
        break;
    }
    return kStep;
  }

  RooflinePoint& point_for(const OpRecord& frame, bool overhead, bool known,
                           const std::string& kernel) {
    const std::string label = label_of(frame, overhead, kernel);
    const std::string detail = overhead ? "" : detail_of(recording_, frame);
    const OpKind kind = overhead ? OpKind::Other : kind_of_op(recording_.name(frame.name));
    RooflinePoint& point = points_[{label, detail, phase_of(frame), kind, known}];
    if (point.by_shapes) return point;
    point = {.label = label, .detail = detail, .phase = phase_of(frame), .kind = kind, .calls = 0};
    point.by_shapes = true;
    if (overhead) point.calls = 1;
    if (overhead || known) {
      for (const MemoryLevel level : options_.levels) point.bytes[index_of(level)] = Bytes{};
    }
    return point;
  }

  const Recording& recording_;
  const ShapePointOptions& options_;
  std::map<Key, RooflinePoint> points_;
  std::map<const RooflinePoint*, LaunchFill> fills_;  // by places in the map above, which stay
};

void require_whole(const Recording& recording, PointsPer per) {
  if (recording.steps.empty()) throw bad_input("no step was recorded");
  if (recording.gaps.ops_beyond_limit + recording.gaps.device_beyond_limit > 0)
    throw bad_input("the recording is not whole: record fewer steps");
  if (per == PointsPer::Kernel && recording.device.empty())
    throw bad_input("--per kernel needs a GPU that can be watched; --per op works without");
}

// Where its own time is what the work took, a node stands for all of its work; of several parts
// (kernels, ops inside that have no model) each stands for its share of the time.
std::vector<Nanoseconds> time_on_work(const OpTree& tree) {
  std::vector<Nanoseconds> total(tree.nodes.size(), 0);
  for (const OpNode& node : tree.nodes)
    if (node.owner != OpNode::kNone) total[node.owner] += node.time;
  return total;
}

double part_of(Nanoseconds time, Nanoseconds total) {
  return total > 0 ? static_cast<double>(time) / static_cast<double>(total) : 0;
}

// Of its op's work the part that each piece of a device's work did: kernels by their time, copies
// and sets beside them none. A replayed node's time is that of all replays, its work too.
std::vector<double> parts_of_launches(const Recording& recording, const OpTree& tree) {
  const auto owner_of = [&](std::size_t launch) {
    const std::size_t node = tree.launchers[launch];
    return node == OpNode::kNone ? node : tree.nodes[node].owner;
  };
  const auto time_of = [&](std::size_t launch) {
    return recording.device[launch].end - recording.device[launch].start;
  };
  const auto is_kernel = [&](std::size_t launch) {
    return recording.device[launch].kind == DeviceRecordKind::Kernel;
  };
  std::vector<Nanoseconds> kernels(tree.nodes.size(), 0);
  std::vector<Nanoseconds> all(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < recording.device.size(); ++i) {
    const std::size_t owner = owner_of(i);
    if (owner == OpNode::kNone) continue;
    all[owner] += time_of(i);
    if (is_kernel(i)) kernels[owner] += time_of(i);
  }
  std::vector<double> parts(recording.device.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t owner = owner_of(i);
    if (owner == OpNode::kNone) continue;
    if (kernels[owner] == 0) {
      parts[i] = part_of(time_of(i), all[owner]);
    } else if (is_kernel(i)) {
      parts[i] = part_of(time_of(i), kernels[owner]);
    }
  }
  return parts;
}

std::vector<UnmodelledOp> unmodelled_of(const OpTree& tree, const Recording& recording) {
  std::map<std::string, Seconds> times;
  for (const OpNode& node : tree.nodes) {
    if (node.owner != OpNode::kNone || node.time <= 0) continue;
    if (node.overhead && !tree.on_device) continue;
    times[recording.name(node.frame->name)] += seconds(node.time);
  }
  for (std::size_t i = 0; i < tree.launchers.size(); ++i)
    if (tree.launchers[i] == OpNode::kNone)
      times[kNoOp] += seconds(recording.device[i].end - recording.device[i].start);
  std::vector<UnmodelledOp> ops;
  for (const auto& [name, time] : times)
    ops.push_back({.name = name, .time = time / static_cast<double>(recording.steps.size())});
  std::ranges::stable_sort(ops, std::greater{}, &UnmodelledOp::time);
  return ops;
}

}  // namespace

PointsPer parse_points_per(std::string_view word) {
  if (word == "kernel") return PointsPer::Kernel;
  if (word == "op") return PointsPer::Op;
  if (word == "module") return PointsPer::Module;
  if (word == "phase") return PointsPer::Phase;
  if (word == "step") return PointsPer::Step;
  throw bad_input(unknown_word("--per", word, {"kernel", "op", "module", "phase", "step"}));
}

ShapePoints shape_points(const Recording& recording, const ShapePointOptions& options) {
  require_whole(recording, options.per);
  const OpTree tree = op_tree(recording, options.cost);
  const auto total = time_on_work(tree);
  PointSums sums(recording, options);
  const auto fills = fill_of_nodes(recording, tree, options.gpu);
  if (options.per != PointsPer::Kernel) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const OpNode& node = tree.nodes[i];
      if (node.time <= 0) continue;
      const double part = node.owner == OpNode::kNone ? 0 : part_of(node.time, total[node.owner]);
      sums.add_node(tree, i, part, fills[i]);
    }
  }
  const auto parts = parts_of_launches(recording, tree);
  for (std::size_t i = 0; i < recording.device.size(); ++i) {
    if (options.per == PointsPer::Kernel || tree.launchers[i] == OpNode::kNone)
      sums.add_launch(tree, i, parts[i]);
  }
  ShapePoints result{.points = sums.per_step(recording.steps.size()),
                     .unmodelled = unmodelled_of(tree, recording),
                     .on_device = tree.on_device};
  for (const RecordedStep& step : recording.steps) result.step += seconds(step.end - step.start);
  result.step /= static_cast<double>(recording.steps.size());
  return result;
}

ShapeLaunches shape_launches(const Recording& recording, const ShapePointOptions& options) {
  require_whole(recording, PointsPer::Kernel);
  const OpTree tree = op_tree(recording, options.cost);
  const auto parts = parts_of_launches(recording, tree);
  const Nanoseconds begin = recording.steps.back().start;
  std::vector<std::size_t> launches;
  for (std::size_t i = 0; i < recording.device.size(); ++i) {
    if (recording.device[i].start >= begin) launches.push_back(i);
  }
  // As they were launched, which is how counters see them: an algorithm that uses several streams
  // has its kernels start in any order.
  std::ranges::stable_sort(launches, {},
                           [&](std::size_t i) { return asked_at(recording.device[i]); });
  ShapeLaunches result;
  for (const std::size_t i : launches) {
    const DeviceRecord& work = recording.device[i];
    PointSums one(recording, options);
    one.add_launch(tree, i, parts[i]);
    std::vector<RooflinePoint> points = one.per_step(1);
    RIDGELINE_CHECK(points.size() <= 1);
    if (points.empty()) points.push_back({.label = work.name});  // it took no time
    const bool is_kernel = work.kind == DeviceRecordKind::Kernel;
    if (is_kernel) result.kernels.push_back(work.name);
    (is_kernel ? result.points : result.others).push_back(std::move(points.front()));
  }
  return result;
}

}  // namespace ridgeline
