#include "profile/frame_memory.h"

#include <algorithm>
#include <unordered_map>

namespace ridgeline {
namespace {

// One thread's frames in the order they began, those around before those inside.
std::vector<const OpRecord*> frames_of(const Recording& recording, std::uint16_t thread) {
  std::vector<const OpRecord*> frames;
  for (const OpRecord& frame : recording.ops)
    if (frame.thread == thread) frames.push_back(&frame);
  std::ranges::stable_sort(frames, [](const OpRecord* a, const OpRecord* b) {
    return a->start != b->start ? a->start < b->start : a->end > b->end;
  });
  return frames;
}

// The frames of one thread that are open as time goes on.
class OpenFrames {
 public:
  explicit OpenFrames(std::vector<const OpRecord*> frames) : frames_(std::move(frames)) {}

  // Where two frames meet at one nanosecond the record's own word decides.
  [[nodiscard]] const OpRecord* innermost(const MemoryRecord& record) {
    for (; next_ < frames_.size() && frames_[next_]->start <= record.time; ++next_) {
      close_before(frames_[next_]->start);
      open_.push_back(frames_[next_]);
    }
    close_before(record.time);
    const auto named = std::find_if(open_.rbegin(), open_.rend(), [&](const OpRecord* frame) {
      return frame->name == record.op;
    });
    return named == open_.rend() ? nullptr : *named;
  }

 private:
  void close_before(Nanoseconds time) {
    std::erase_if(open_, [&](const OpRecord* frame) { return frame->end < time; });
  }

  std::vector<const OpRecord*> frames_;
  std::size_t next_ = 0;
  std::vector<const OpRecord*> open_;
};

class Sums {
 public:
  explicit Sums(const Recording& recording) : recording_(recording) {
    for (const OpRecord& frame : recording.ops) by_id_.emplace(frame.id, &frame);
  }
  void add(const MemoryRecord& record) {
    auto thread = threads_.find(record.thread);
    if (thread == threads_.end())
      thread = threads_.emplace(record.thread, frames_of(recording_, record.thread)).first;
    const OpRecord* frame = thread->second.innermost(record);
    if (frame == nullptr) return;
    const AllocatedBytes change{.allocated = std::max<std::int64_t>(record.bytes, 0),
                                .net = record.bytes};
    of(*frame).self += change;
    while (frame != nullptr) {
      if (frame->outermost) of(*frame).total += change;
      const auto around = by_id_.find(frame->parent);
      frame = around == by_id_.end() ? nullptr : around->second;
    }
  }
  [[nodiscard]] std::vector<FrameMemory> take() { return std::move(sums_); }

 private:
  FrameMemory& of(const OpRecord& frame) {
    const auto [place, fresh] = places_.emplace(&frame, sums_.size());
    if (fresh) sums_.push_back({.frame = &frame});
    return sums_[place->second];
  }

  const Recording& recording_;
  std::unordered_map<std::uint32_t, const OpRecord*> by_id_;
  std::unordered_map<std::uint16_t, OpenFrames> threads_;
  std::unordered_map<const OpRecord*, std::size_t> places_;
  std::vector<FrameMemory> sums_;
};

}  // namespace

std::vector<FrameMemory> frame_memory(const Recording& recording) {
  const RecordingGaps& gaps = recording.gaps;
  if (gaps.memory_beyond_limit + gaps.ops_beyond_limit + gaps.frames_too_deep > 0) return {};
  const bool on_device = std::ranges::any_of(recording.memory, &MemoryRecord::on_device);
  Sums sums(recording);
  for (const MemoryRecord& record : recording.memory)
    if (record.on_device == on_device) sums.add(record);
  return sums.take();
}

}  // namespace ridgeline
