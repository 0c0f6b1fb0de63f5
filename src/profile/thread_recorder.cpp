#include "profile/thread_recorder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

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

// Goes through the records of a thread in the order they began.
class OpenNames {
 public:
  [[nodiscard]] bool is_outermost(const OpRecord& record) {
    while (!open_.empty() && open_.back().first != record.parent) open_.pop_back();
    const bool inside =
        std::ranges::any_of(open_, [&](const auto& frame) { return frame.second == record.name; });
    open_.emplace_back(record.id, record.name);
    return !inside;
  }

 private:
  std::vector<std::pair<std::uint32_t, NameId>> open_;  // ids and names of the frames around
};

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

bool ThreadRecorder::is_inside(NameId name) const noexcept {
  for (std::size_t i = 0; i + 1 < depth_; ++i) {
    if (stack_[i].name == name) return true;
  }
  return false;
}

bool ThreadRecorder::enter_part(std::int64_t sequence, std::uint64_t forward_thread) noexcept {
  if (depth_ == 0 || !stack_[depth_ - 1].whole) return false;
  ++inside_whole_;
  // A copy inside a reshape makes a node of its own, which asks for its module later.
  if (sequence >= 0 && forward_thread == 0)
    room_.sequences.remember(thread_.torch_id, sequence, stack_[depth_ - 1].module);
  return true;
}

bool ThreadRecorder::leave_part(const void* key) noexcept {
  if (inside_whole_ == 0 || stack_[depth_ - 1].key == key) return false;
  --inside_whole_;
  return true;
}

void ThreadRecorder::enter(const FrameStart& start) noexcept {
  if (start.kind == FrameKind::Op && enter_part(start.sequence, start.forward_thread)) return;
  if (depth_ == kDeepest) {
    ++beyond_;
    ++gaps_.frames_too_deep;
    return;
  }
  NameTable::Hint& hint = hint_for(start.name);
  const NameId name = room_.names.number(start.name, hint);
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
           .room = nullptr,
           .id = 0,
           .name = name,
           .shape = shape,
           .module = module,
           .kind = start.kind,
           .phase = phase,
           .counts = keep_ == Keep::Everything,
           .whole = room_.detail == OpDetail::WholeOps && hint.whole(),
           .forward_thread = static_cast<std::uint32_t>(start.forward_thread),
           .sequence = start.sequence,
           .start = start.time,
           .children = 0};
  set_depth(depth_ + 1);  // before anything is taken: whoever collects passes over a busy thread
  if (frame.counts) take_room(frame);
}

void ThreadRecorder::describe(std::string_view shape) noexcept {
  if (depth_ == 0 || beyond_ > 0) return;
  Frame& frame = stack_[depth_ - 1];
  if (frame.kind != FrameKind::Backward || frame.shape != NameTable::kNone) return;
  frame.shape = room_.names.number(shape);
}

void ThreadRecorder::take_room(Frame& frame) noexcept {
  std::size_t number = 0;
  frame.room = ops_.append(room_.op_pool, number);
  if (frame.room == nullptr) {
    ++gaps_.ops_beyond_limit;
    return;
  }
  frame.id = static_cast<std::uint32_t>(number + 1);
  std::memset(static_cast<std::byte*>(frame.room) + offsetof(OpRecord, id), 0,
              sizeof(OpRecord::id));
}

void ThreadRecorder::record(const Frame& frame, Nanoseconds end) noexcept {
  new (frame.room) OpRecord{.start = frame.start,
                            .end = end,
                            .self = end - frame.start - frame.children,
                            .sequence = frame.sequence,
                            .name = frame.name,
                            .shape = frame.shape,
                            .module = frame.module,
                            .id = frame.id,
                            .parent = depth_ > 1 ? stack_[depth_ - 2].id : 0,
                            .forward_thread = frame.forward_thread,
                            .thread = place_,
                            .outermost = true,  // collect() finds out
                            .kind = frame.kind,
                            .phase = frame.phase};
}

void ThreadRecorder::pop(Nanoseconds time) noexcept {
  const Frame& frame = stack_[depth_ - 1];
  inside_whole_ = 0;
  const Nanoseconds took = time - frame.start;
  if (depth_ > 1) stack_[depth_ - 2].children += took;
  if (frame.room != nullptr) {
    record(frame, time);
  } else if (frame.counts) {
    add_beyond_limit(frame, took);
  }
  set_depth(depth_ - 1);
}

void ThreadRecorder::add_beyond_limit(const Frame& frame, Nanoseconds took) noexcept {
  OpTotal& total = beyond_limit_.at(beyond_limit_.place_of({.name = frame.name,
                                                            .shape = frame.shape,
                                                            .module = frame.module,
                                                            .kind = frame.kind,
                                                            .phase = frame.phase}));
  ++total.calls;
  total.self += took - frame.children;
  if (!is_inside(frame.name)) total.total += took;
}

void ThreadRecorder::leave(const void* key, Nanoseconds time) noexcept {
  if (beyond_ > 0) {
    --beyond_;
    return;
  }
  if (leave_part(key)) return;
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
      open.push_back({.start = frame.start,
                      .name = frame.name,
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
  void* const room = memories_.append(room_.memory_pool, number);
  if (room == nullptr) {
    if (gaps_.memory_beyond_limit++ == 0) gaps_.memory_lost_from = record.time;
    return;
  }
  record.thread = place_;
  if (depth_ > 0) {
    const Frame& frame = stack_[depth_ - 1];
    record.module = frame.module;
    record.op = frame.name;
    record.phase = frame.phase;
  }
  new (room) MemoryRecord(record);
}

void ThreadRecorder::reset() noexcept {
  depth_ = 0;
  beyond_ = 0;
  inside_whole_ = 0;
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
  OpenNames open;
  ops_.for_each(room_.op_pool, [&](OpRecord record) {
    if (record.id == 0) return;  // has not ended
    record.outermost = open.is_outermost(record);
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
  into.gaps.lose_memory(gaps_.memory_beyond_limit, gaps_.memory_lost_from);
  into.gaps.frames_too_deep += gaps_.frames_too_deep;
  into.gaps.unfinished += gaps_.unfinished;
}

}  // namespace ridgeline
