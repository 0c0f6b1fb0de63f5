#include "profile/frame_flop.h"

#include <algorithm>

#include "profile/op_tree.h"

namespace ridgeline {
namespace {

bool has_shapes(const Recording& recording) {
  const auto shown = [](const OpRecord& frame) { return frame.shape != 0; };
  return std::ranges::any_of(recording.ops, shown) ||
         std::ranges::any_of(recording.captured, shown);
}

// A part of them would look like all.
bool is_whole(const RecordingGaps& gaps) {
  return gaps.ops_beyond_limit + gaps.names_beyond_limit + gaps.frames_too_deep +
             gaps.device_beyond_limit + gaps.device_dropped ==
         0;
}

// By owner. A host's own times count on every thread: each stands beside its own work.
std::vector<Nanoseconds> time_on_work(const OpTree& tree) {
  std::vector<Nanoseconds> total(tree.nodes.size(), 0);
  for (const OpNode& node : tree.nodes) {
    if (node.owner == OpNode::kNone) continue;
    total[node.owner] += tree.on_device ? node.time : node.frame->self;
  }
  return total;
}

}  // namespace

FlopCount count_flop(const Recording& recording) {
  if (!has_shapes(recording)) return {.frames = {}, .lack = FlopLack::Shapes};
  if (!is_whole(recording.gaps)) return {.frames = {}, .lack = FlopLack::Records};
  FlopCount count;
  // An optimizer's root and quotient are several operations there, as counters have it.
  const OpTree tree =
      op_tree(recording, {.on_gpu = !recording.device.empty() || recording.device_unseen});
  const auto times = time_on_work(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const OpNode& node = tree.nodes[i];
    if (!node.work || times[i] <= 0) continue;
    const Flop flop = static_cast<double>(node.calls) * node.work->total_flop();
    if (!(flop.count > 0)) continue;
    count.frames.push_back(
        {.frame = node.frame, .flop = flop, .time = recording.device_unseen ? 0 : times[i]});
  }
  return count;
}

}  // namespace ridgeline
