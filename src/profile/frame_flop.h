#pragma once

#include <vector>

#include "core/units.h"
#include "profile/records.h"

namespace ridgeline {

// The arithmetic of one frame, as its shapes ask for it.
struct FrameFlop {
  const OpRecord* frame = nullptr;
  Flop flop{};  // of all its calls, none of it done by an op inside it that is listed too
  // What that took: the frame's own time and that of ops inside it that are a part of its work; the
  // device's where one was watched. 0 where it is not known.
  Nanoseconds time{};
};

// What stands in the way of counting.
enum class FlopLack { None, Shapes, Records };

struct FlopCount {
  std::vector<FrameFlop> frames{};  // those with any, so that their sum is that of the steps
  FlopLack lack = FlopLack::None;
};

// FLOPs of a recording that has shapes and values, each piece of work at one frame (op_tree.h); the
// frames are the recording's. On a device only what it worked on counts, as in roofline.
[[nodiscard]] FlopCount count_flop(const Recording& recording);

}  // namespace ridgeline
