#include "profile/thread_recorder.h"

#include <algorithm>
#include <new>

namespace ridgeline {
namespace {

void add(TotalTable& totals, const OpRecord& record) {
  OpTotal& total = totals.at(totals.place_of({.name = record.name,
                                              .shape = record.shape,
                                              .module = record.module,
                                              .kind = record.kind,
                                              .phase = record.phase}));
  ++total.calls;
  total.self += record.self;
  if (record.outermost) total.total += record.end - record.start;
}

}  // namespace

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
  Frame& frame = stack_[depth_];
  frame = {.key = start.key,
           .record = nullptr,
           .id = 0,
           .counts = keep_ == Keep::Everything,
           .name = name,
           .shape = shape,
           .module = module,
           .kind = start.kind,
           .phase = phase,
           .outermost = !is_open(name),
           .start = start.time,
           .children = 0};
  if (frame.counts) record(frame, start);
  ++depth_;
}

void ThreadRecorder::record(Frame& frame, const FrameStart& start) noexcept {
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
  record.shape = frame.shape;
  record.module = frame.module;
  record.id = frame.id;
  record.parent = depth_ > 0 ? stack_[depth_ - 1].id : 0;
  record.forward_thread = static_cast<std::uint32_t>(start.forward_thread);
  record.thread = place_;
  record.kind = start.kind;
  record.phase = frame.phase;
  record.outermost = frame.outermost;
}

void ThreadRecorder::pop(Nanoseconds time) noexcept {
  const Frame& frame = stack_[--depth_];
  const Nanoseconds took = time - frame.start;
  if (depth_ > 0) stack_[depth_ - 1].children += took;
  if (frame.record != nullptr) {
    frame.record->end = time;
    frame.record->self = took - frame.children;
  } else if (frame.counts) {
    add_beyond_limit(frame, took);
  }
}

void ThreadRecorder::add_beyond_limit(const Frame& frame, Nanoseconds took) noexcept {
  OpTotal& total = beyond_limit_.at(beyond_limit_.place_of({.name = frame.name,
                                                            .shape = frame.shape,
                                                            .module = frame.module,
                                                            .kind = frame.kind,
                                                            .phase = frame.phase}));
  ++total.calls;
  total.self += took - frame.children;
  if (frame.outermost) total.total += took;
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

std::uint32_t ThreadRecorder::capture() const noexcept {
  try {
    std::vector<OpRecord> open;
    for (std::size_t i = 0; i < depth_; ++i) {
      const Frame& frame = stack_[i];
      open.push_back({.name = frame.name,
                      .shape = frame.shape,
                      .module = frame.module,
                      .id = frame.id,
                      .thread = place_,
                      .kind = frame.kind,
                      .phase = frame.phase});
    }
    return room_.captured.keep(open);
  } catch (const std::bad_alloc&) {
    return 0;
  }
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
  beyond_limit_.reset();
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
  TotalTable totals = beyond_limit_;
  ops_.for_each(room_.op_pool, [&](const OpRecord& record) {
    into.ops.push_back(record);
    add(totals, record);
  });
  memories_.for_each(room_.memory_pool,
                     [&](const MemoryRecord& record) { into.memory.push_back(record); });
  const bool steps = std::ranges::any_of(totals.all(), [](const OpTotal& total) {
    return total.kind == FrameKind::Step && total.calls > 0;
  });
  for (OpTotal total : totals.all()) {
    total.beside = !steps;
    if (total.calls > 0) into.totals.push_back(total);
  }
  into.gaps.ops_beyond_limit += gaps_.ops_beyond_limit;
  into.gaps.memory_beyond_limit += gaps_.memory_beyond_limit;
  into.gaps.frames_too_deep += gaps_.frames_too_deep;
  into.gaps.unfinished += gaps_.unfinished;
}

}  // namespace ridgeline
