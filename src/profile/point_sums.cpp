#include "profile/point_sums.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

#include "profile/shape_text.h"
#include "stats/order.h"

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

}  // namespace

void PointTimes::add(std::size_t step, std::size_t steps, Seconds time) {
  times_.resize(steps);
  times_[step] += time;
}

void PointTimes::spread(std::size_t steps, Seconds time) {
  times_.resize(steps);
  for (Seconds& of_step : times_) of_step += time / static_cast<double>(steps);
}

Seconds PointTimes::of_one() const {
  const Seconds middle = median(times_);
  if (middle.count() > 0) return middle;
  return std::reduce(times_.begin(), times_.end()) / static_cast<double>(times_.size());
}

// Time of `node`, and of its work the part that it stands for.
RooflinePoint& PointSums::add(const OpTree& tree, std::size_t node, Nanoseconds time, double part,
                              const std::string& kernel) {
  const OpNode& spent = tree.nodes[node];
  const bool worked = spent.owner != OpNode::kNone;
  const OpNode& owner = worked ? tree.nodes[spent.owner] : spent;
  const bool overhead = !worked && spent.overhead && !tree.on_device;
  RooflinePoint& point = point_for(*owner.frame, overhead, worked, kernel);
  point.time += seconds(time);
  // A frame that a graph was captured under began before any step.
  if (spent.frame->start < starts_.front()) {
    times_[&point].spread(starts_.size(), seconds(time));
  } else {
    add_time(point, spent.frame->start, time);
  }
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

void PointSums::add_launch(const OpTree& tree, std::size_t launch, double part) {
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

void PointSums::add_node(const OpTree& tree, std::size_t node, double part,
                         const LaunchFill& fill) {
  fills_[&add(tree, node, tree.nodes[node].time, part, {})].add(fill);
}

void PointSums::add_orphan(const DeviceRecord& work) {
  const std::string label = options_.per == PointsPer::Kernel ? work.name
                            : options_.per == PointsPer::Step ? kStep
                                                              : kNoOp;
  RooflinePoint& point = points_[{label, "", "", OpKind::Other, true}];
  if (!point.by_shapes) point.calls = 0;  // just made
  point.label = label;
  point.by_shapes = true;
  point.time += seconds(work.end - work.start);
  add_time(point, work.start, work.end - work.start);
  ++point.calls;
}

std::vector<RooflinePoint> PointSums::per_step() const {
  const std::size_t steps = starts_.size();
  const double part = 1 / static_cast<double>(steps);
  std::vector<RooflinePoint> points;
  for (const auto& [key, sum] : points_) {
    if (!(sum.time.count() > 0)) continue;
    RooflinePoint point = sum;
    if (const auto fill = fills_.find(&sum); fill != fills_.end()) fill->second.give_to(point);
    point.time = times_.at(&sum).of_one();
    point.calls = std::max<std::uint64_t>(1, point.calls / steps);
    for (Flop& flop : point.flop) flop = part * flop;
    for (auto& bytes : point.bytes)
      if (bytes) bytes = part * *bytes;
    points.push_back(std::move(point));
  }
  std::ranges::stable_sort(points, std::greater{}, &RooflinePoint::time);
  return points;
}

void PointSums::add_time(const RooflinePoint& point, Nanoseconds at, Nanoseconds time) {
  const auto after = std::ranges::upper_bound(starts_, at);
  const auto step = std::max<std::ptrdiff_t>(1, after - starts_.begin()) - 1;
  times_[&point].add(static_cast<std::size_t>(step), starts_.size(), seconds(time));
}

std::string PointSums::label_of(const OpRecord& frame, bool overhead,
                                const std::string& kernel) const {
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

RooflinePoint& PointSums::point_for(const OpRecord& frame, bool overhead, bool known,
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

}  // namespace ridgeline
