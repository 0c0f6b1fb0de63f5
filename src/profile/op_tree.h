#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "profile/records.h"
#include "roofline/op_cost.h"

namespace ridgeline {

// One frame of a recording with what it did itself.
struct OpNode {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const OpRecord* frame = nullptr;
  std::size_t parent = kNone;
  std::uint64_t calls = 1;  // replays, of a frame that a graph was captured under
  // All calls together: of the device where one was watched, else the host's own.
  Nanoseconds time{};
  std::optional<OpWork> work{};  // of one call, where the work is this op's
  std::size_t owner = kNone;     // whose work the time was spent on; itself where it has some
  bool overhead = false;         // it has no work to do, only time to take
};

// A recording's frames, each piece of work given to exactly one of them: an op that hands its work
// to another does not count beside it. Work of a device that no known frame launched is apart.
struct OpTree {
  std::vector<OpNode> nodes{};
  std::vector<std::size_t> launchers{};  // of each device record its node; OpNode::kNone: not known
  bool on_device = false;
};

// The recording must outlive the tree.
[[nodiscard]] OpTree op_tree(const Recording& recording, const OpCostOptions& options);

}  // namespace ridgeline
