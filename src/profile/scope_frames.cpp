#include "profile/scope_frames.h"

#include <algorithm>
#include <cstddef>

#include "profile/active_recording.h"
#include "profile/range_name.h"
#include "profile/record_clock.h"

namespace ridgeline {
namespace {

class ScopeFrames final : public ScopeListener {
 public:
  void enter_module(const char* name) noexcept override {
    enter({.kind = FrameKind::Module, .name = name});
  }
  void enter_phase(StepPhase phase) noexcept override {
    enter({.kind = FrameKind::Phase, .name = range_name(phase), .phase = phase});
  }
  void enter_node(const BackwardNode& node) noexcept override {
    enter({.kind = FrameKind::Backward,
           .name = node.name,
           .sequence = sequence_of(node.sequence),
           .forward_thread = node.forward_thread});
  }
  void leave_scope() noexcept override {
    // Scopes nest, so the innermost open one is meant: each has the depth it was opened at as key.
    if (ThreadRecorder* const thread = thread_recorder(); thread != nullptr && open() > 0)
      thread->leave(key(--open()), record_time());
  }

 private:
  static std::size_t& open() {
    thread_local std::size_t count = 0;
    return count;
  }
  static const void* key(std::size_t depth) {
    static const char keys[ThreadRecorder::kDeepest + 1] = {};
    return &keys[std::min(depth, ThreadRecorder::kDeepest)];
  }
  static void enter(FrameStart start) noexcept {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    start.key = key(open()++);
    start.time = record_time();
    thread->enter(start);
  }
};

}  // namespace

ScopeListener& scope_frames() noexcept {
  static ScopeFrames frames;
  return frames;
}

}  // namespace ridgeline
