#pragma once

#include <string>

#include "profile/records.h"

namespace ridgeline::testing {

// One step of 100 µs with frames set by hand: what op_tree and shape_points work on.
class MadeOps {
 public:
  MadeOps() {
    recording.names = {"", "(overflow)"};
    recording.threads = {{.system_id = 1, .torch_id = 1}};
    recording.steps = {{.number = 0, .start = 0, .end = 100'000}};
    frame("ProfilerStep#0", "", 0, 5'000, FrameKind::Step);
  }
  // Returns its id.
  std::uint32_t frame(const std::string& name, const std::string& shape, std::uint32_t parent,
                      Nanoseconds self, FrameKind kind = FrameKind::Op) {
    OpRecord op{.start = now_, .end = now_ + self, .self = self};
    now_ += self;
    op.name = number(name);
    op.shape = number(shape);
    op.id = static_cast<std::uint32_t>(recording.ops.size() + 1);
    op.parent = parent;
    op.kind = kind;
    op.phase = StepPhase::Forward;
    recording.ops.push_back(op);
    return op.id;
  }
  void kernel(const std::string& name, std::uint32_t launcher, Nanoseconds time) {
    recording.device.push_back(
        {.name = name, .start = now_, .end = now_ + time, .external_id = launcher});
    now_ += time;
  }
  Recording recording{};

 private:
  NameId number(const std::string& name) {
    if (name.empty()) return 0;
    recording.names.push_back(name);
    return static_cast<NameId>(recording.names.size() - 1);
  }
  Nanoseconds now_ = 0;
};

// 2 x 3 by 3 x 5: 60 FLOPs, 124 bytes.
inline constexpr const char* kSmallMm = "[[2,3],[3,5]]\n[\"Float\",\"Float\"]\n[null,null]";
inline constexpr const char* kSmallLinear = "[[2,3],[5,3],[]]\n[\"Float\",\"Float\",\"\"]";

}  // namespace ridgeline::testing
