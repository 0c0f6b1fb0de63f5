#include "profile/thread_recorder.h"

#include <algorithm>

namespace ridgeline {

ThreadRecorder::ThreadRecorder(RecorderRoom& room, std::uint16_t place, RecordedThread thread)
    : room_(room), place_(place), thread_(thread) {
  ops_.reserve(room_.op_pool);
  memories_.reserve(room_.memory_pool);
}

// Frames inherit their module. A node of the backward gets that of the op that made it. Gradients
// are accumulated by nodes without a number, which autograd runs as soon as it can: they belong to
// the node just before them.
NameId ThreadRecorder::module_of(const FrameStart& start, NameId name, StepPhase phase) noexcept {
  if (start.kind == FrameKind::Module) return name;
  const NameId inherited = depth_ > 0 ? stack_[depth_ - 1].module : NameTable::kNone;
  if (start.sequence >= 0 && start.forward_thread != 0) {
    const auto found = room_.sequences.find(start.forward_thread, start.sequence);
    last_backward_module_ = found.value_or(inherited);
    return last_backward_module_;
  }
  if (start.sequence >= 0) room_.sequences.remember(thread_.torch_id, start.sequence, inherited);
  const bool own_gradient = is_op(start.kind) && inherited == NameTable::kNone;
  return own_gradient && phase == StepPhase::Backward ? last_backward_module_ : inherited;
}

bool ThreadRecorder::is_open(NameId name) const noexcept {
  for (std::size_t i = 0; i < depth_; ++i) {
    if (stack_[i].name == name) return true;
  }
  return false;
}

void ThreadRecorder::enter(const FrameStart& start) noexcept {
  if (depth_ == kDeepest) {
    ++beyond_;
    ++gaps_.frames_too_deep;
    return;
  }
  const NameId name = room_.names.number(start.name);
  const NameId shape = room_.names.number(start.shape);
  StepPhase phase = start.phase;
  if (start.kind == FrameKind::Phase) {
    last_backward_module_ = NameTable::kNone;
  } else {
    phase = depth_ > 0 ? stack_[depth_ - 1].phase : StepPhase::None;
  }
  const NameId module = module_of(start, name, phase);
  const std::uint32_t total = totals_.place_of(
      {.name = name, .shape = shape, .module = module, .kind = start.kind, .phase = phase});
  Frame& frame = stack_[depth_];
  frame = {.key = start.key,
           .record = nullptr,
           .id = 0,
           .total = total,
           .counts = keep_ == Keep::Everything,
           .name = name,
           .module = module,
           .phase = phase,
           .outermost = !is_open(name),
           .start = start.time,
           .children = 0};
  if (frame.counts) record(frame, start, shape);
  ++depth_;
}

void ThreadRecorder::record(Frame& frame, const FrameStart& start, NameId shape) noexcept {
  std::size_t number = 0;
  frame.record = ops_.append(room_.op_pool, number);
  if (frame.record == nullptr) {
    ++gaps_.ops_beyond_limit;
    return;
  }
  frame.id = static_cast<std::uint32_t>(number + 1);
  OpRecord& record = *frame.record;
  record.start = start.time;
  record.end = start.time;
  record.sequence = start.sequence;
  record.name = frame.name;
  record.shape = shape;
  record.module = frame.module;
  record.id = frame.id;
  record.parent = depth_ > 0 ? stack_[depth_ - 1].id : 0;
  record.forward_thread = static_cast<std::uint32_t>(start.forward_thread);
  record.thread = place_;
  record.kind = start.kind;
  record.phase = frame.phase;
}

void ThreadRecorder::pop(Nanoseconds time) noexcept {
  const Frame& frame = stack_[--depth_];
  const Nanoseconds took = time - frame.start;
  if (frame.counts) {
    OpTotal& total = totals_.at(frame.total);
    ++total.calls;
    total.self += took - frame.children;
    if (frame.outermost) total.total += took;
  }
  if (depth_ > 0) stack_[depth_ - 1].children += took;
  if (frame.record != nullptr) frame.record->end = time;
}

void ThreadRecorder::leave(const void* key, Nanoseconds time) noexcept {
  if (beyond_ > 0) {
    --beyond_;
    return;
  }
  std::size_t found = depth_;
  while (found > 0 && stack_[found - 1].key != key) --found;
  if (found == 0) return;
  while (depth_ >= found) pop(time);
}

void ThreadRecorder::memory(MemoryRecord record) noexcept {
  if (keep_ == Keep::Nothing) return;
  std::size_t number = 0;
  MemoryRecord* const kept = memories_.append(room_.memory_pool, number);
  if (kept == nullptr) {
    ++gaps_.memory_beyond_limit;
    return;
  }
  *kept = record;
  kept->thread = place_;
  if (depth_ == 0) return;
  const Frame& frame = stack_[depth_ - 1];
  kept->module = frame.module;
  kept->op = frame.name;
  kept->phase = frame.phase;
}

void ThreadRecorder::reset() noexcept {
  depth_ = 0;
  beyond_ = 0;
  totals_.reset();
  ops_.reset();
  memories_.reset();
  gaps_ = {};
}

void ThreadRecorder::close_all(Nanoseconds time) noexcept {
  gaps_.unfinished += depth_ + beyond_;
  while (depth_ > 0) pop(time);
  beyond_ = 0;
}

void ThreadRecorder::collect(Recording& into) const {
  ops_.for_each(room_.op_pool, [&](const OpRecord& record) { into.ops.push_back(record); });
  memories_.for_each(room_.memory_pool,
                     [&](const MemoryRecord& record) { into.memory.push_back(record); });
  const bool steps = std::ranges::any_of(totals_.all(), [](const OpTotal& total) {
    return total.kind == FrameKind::Step && total.calls > 0;
  });
  for (OpTotal total : totals_.all()) {
    total.beside = !steps;
    if (total.calls > 0) into.totals.push_back(total);
  }
  into.gaps.ops_beyond_limit += gaps_.ops_beyond_limit;
  into.gaps.memory_beyond_limit += gaps_.memory_beyond_limit;
  into.gaps.frames_too_deep += gaps_.frames_too_deep;
  into.gaps.unfinished += gaps_.unfinished;
}

}  // namespace ridgeline
