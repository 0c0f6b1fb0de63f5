#include "profile/shape_points.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "profile/point_sums.h"
#include "stats/order.h"

namespace ridgeline {
namespace {

constexpr const char* kNoOp = "(launched by no op)";

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

std::vector<Nanoseconds> starts_of_steps(const Recording& recording) {
  std::vector<Nanoseconds> starts;
  for (const RecordedStep& step : recording.steps) starts.push_back(step.start);
  std::ranges::sort(starts);
  return starts;
}

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

// Of one step, as they were launched, which is how counters see them: an algorithm that uses
// several streams has its kernels start in any order.
std::vector<std::size_t> launches_of(const Recording& recording, Nanoseconds begin,
                                     Nanoseconds end) {
  std::vector<std::size_t> launches;
  for (std::size_t i = 0; i < recording.device.size(); ++i) {
    const Nanoseconds start = recording.device[i].start;
    if (start >= begin && start < end) launches.push_back(i);
  }
  std::ranges::stable_sort(launches, {},
                           [&](std::size_t i) { return asked_at(recording.device[i]); });
  return launches;
}

// Of each launch of the last step the median over all steps that launched the same, place by place.
std::vector<Seconds> times_of(const Recording& recording, const std::vector<std::size_t>& last) {
  const std::vector<Nanoseconds> starts = starts_of_steps(recording);
  std::vector<std::vector<std::size_t>> alike{last};
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    std::vector<std::size_t> launches = launches_of(recording, starts[i], starts[i + 1]);
    if (std::ranges::equal(
            launches, last, {}, [&](std::size_t at) { return recording.device[at].name; },
            [&](std::size_t at) { return recording.device[at].name; }))
      alike.push_back(std::move(launches));
  }
  std::vector<Seconds> times;
  for (std::size_t place = 0; place < last.size(); ++place) {
    std::vector<Seconds> samples;
    for (const auto& launches : alike) {
      const DeviceRecord& work = recording.device[launches[place]];
      samples.push_back(seconds(work.end - work.start));
    }
    times.push_back(median(samples));
  }
  return times;
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
  PointSums sums(recording, options, starts_of_steps(recording));
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
  ShapePoints result{.points = sums.per_step(),
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
  const Nanoseconds begin = starts_of_steps(recording).back();
  const std::vector<std::size_t> launches =
      launches_of(recording, begin, std::numeric_limits<Nanoseconds>::max());
  const std::vector<Seconds> times = times_of(recording, launches);
  ShapeLaunches result;
  for (std::size_t place = 0; place < launches.size(); ++place) {
    const std::size_t i = launches[place];
    const DeviceRecord& work = recording.device[i];
    PointSums one(recording, options, {begin});
    one.add_launch(tree, i, parts[i]);
    std::vector<RooflinePoint> points = one.per_step();
    RIDGELINE_CHECK(points.size() <= 1);
    if (points.empty()) points.push_back({.label = work.name});  // it took no time
    if (times[place].count() > 0) points.front().time = times[place];
    const bool is_kernel = work.kind == DeviceRecordKind::Kernel;
    if (is_kernel) result.kernels.push_back(work.name);
    (is_kernel ? result.points : result.others).push_back(std::move(points.front()));
  }
  return result;
}

}  // namespace ridgeline
