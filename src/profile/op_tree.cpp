#include "profile/op_tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

namespace ridgeline {
namespace {

using Places = std::unordered_map<std::uint32_t, std::size_t>;

// Adds the frames of one list; ids and parents are of that list.
Places add_frames(std::vector<OpNode>& nodes, const std::vector<OpRecord>& frames) {
  Places places;
  const std::size_t first = nodes.size();
  for (const OpRecord& frame : frames) {
    places.emplace(frame.id, nodes.size());
    nodes.push_back({.frame = &frame});
  }
  for (std::size_t i = first; i < nodes.size(); ++i) {
    const auto found = places.find(nodes[i].frame->parent);
    if (found != places.end() && found->second != i) nodes[i].parent = found->second;
  }
  return places;
}

OpRole role_of(const OpRecord& frame, std::string_view name) {
  if (frame.kind != FrameKind::Op) return OpRole::Nothing;
  return role_of_op(name);
}

// Children before their parents.
std::vector<std::size_t> innermost_first(const std::vector<OpNode>& nodes) {
  std::vector<std::size_t> depth(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Bounded, should a recording ever name a frame as its own ancestor.
    for (std::size_t up = nodes[i].parent; up != OpNode::kNone && depth[i] < nodes.size();
         up = nodes[up].parent)
      ++depth[i];
  }
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return depth[i]; });
  return order;
}

class WorkGiver {
 public:
  WorkGiver(const Recording& recording, const OpCostOptions& options)
      : recording_(recording), options_(options) {}

  void give(OpTree& tree) {
    inside_.assign(tree.nodes.size(), {});
    for (const std::size_t i : innermost_first(tree.nodes)) give_to(tree.nodes, i);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) set_owner(tree, i);
  }

 private:
  struct Inside {
    bool work = false;
    bool flop = false;
  };

  void give_to(std::vector<OpNode>& nodes, std::size_t i) {
    OpNode& node = nodes[i];
    const OpRole role = role_of(*node.frame, recording_.name(node.frame->name));
    if (role == OpRole::Works || role == OpRole::Delegates) {
      node.work = cost_of(*node.frame);
      // Where another does it, this one only calls.
      if (node.work && role == OpRole::Delegates &&
          (node.work->total_flop().count > 0 ? inside_[i].flop : inside_[i].work)) {
        node.work.reset();
        node.overhead = true;
      }
    }
    if (role == OpRole::Nothing) node.overhead = true;
    if (node.work) {
      inside_[i].work = true;
      inside_[i].flop = inside_[i].flop || node.work->total_flop().count > 0;
    }
    if (node.parent == OpNode::kNone) return;
    Inside& outer = inside_[node.parent];
    outer.work = outer.work || inside_[i].work;
    outer.flop = outer.flop || inside_[i].flop;
  }

  // An op without a model inside one that has its own is a part of that one's work. On a device any
  // time is of some work.
  static void set_owner(OpTree& tree, std::size_t i) {
    OpNode& node = tree.nodes[i];
    if (node.overhead && !tree.on_device) return;
    for (std::size_t at = i; at != OpNode::kNone; at = tree.nodes[at].parent) {
      if (!tree.nodes[at].work) continue;
      node.owner = at;
      return;
    }
  }

  const std::optional<OpWork>& cost_of(const OpRecord& frame) {
    const auto key = std::pair(frame.name, frame.shape);
    const auto known = costs_.find(key);
    if (known != costs_.end()) return known->second;
    std::optional<OpWork> work;
    if (const auto call = parse_op_call(recording_.name(frame.name), recording_.name(frame.shape)))
      work = op_work(*call, options_);
    return costs_.emplace(key, work).first->second;
  }

  const Recording& recording_;
  OpCostOptions options_;
  std::map<std::pair<NameId, NameId>, std::optional<OpWork>> costs_;
  std::vector<Inside> inside_;  // of each node and what it calls
};

// The host's own times, on the thread that steps: others run beside it.
void set_host_times(OpTree& tree) {
  std::set<std::uint16_t> stepping;
  for (const OpNode& node : tree.nodes)
    if (node.frame->kind == FrameKind::Step) stepping.insert(node.frame->thread);
  for (OpNode& node : tree.nodes)
    if (stepping.contains(node.frame->thread)) node.time = node.frame->self;
}

void set_device_times(OpTree& tree, const Recording& recording, const Places& live,
                      const Places& captured) {
  std::set<std::uint32_t> replays;
  for (const DeviceRecord& work : recording.device) {
    const bool of_graph = captured.contains(work.captured);
    const Places& places = of_graph ? captured : live;
    const auto found = places.find(of_graph ? work.captured : work.external_id);
    tree.launchers.push_back(found == places.end() ? OpNode::kNone : found->second);
    if (found != places.end()) tree.nodes[found->second].time += work.end - work.start;
    if (of_graph) replays.insert(work.correlation);
  }
  for (const auto& [id, place] : captured) tree.nodes[place].calls = replays.size();
}

}  // namespace

OpTree op_tree(const Recording& recording, const OpCostOptions& options) {
  OpTree tree{.on_device = !recording.device.empty()};
  tree.nodes.reserve(recording.ops.size() + recording.captured.size());
  const Places live = add_frames(tree.nodes, recording.ops);
  const Places captured = add_frames(tree.nodes, recording.captured);
  if (tree.on_device) {
    set_device_times(tree, recording, live, captured);
  } else {
    set_host_times(tree);
  }
  WorkGiver(recording, options).give(tree);
  return tree;
}

}  // namespace ridgeline
