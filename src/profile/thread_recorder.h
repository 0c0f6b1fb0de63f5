#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/captured_frames.h"
#include "profile/name_table.h"
#include "profile/record_pool.h"
#include "profile/records.h"
#include "profile/sequence_table.h"
#include "profile/total_table.h"

namespace ridgeline {

// Whether the ops inside whole ops (whole_ops.h) are frames of their own or a part of those.
enum class OpDetail : std::uint8_t { All, WholeOps };

// What all threads of a recording share.
struct RecorderRoom {
  RecorderRoom(std::size_t ops, std::size_t memory, OpDetail op_detail)
      : detail(op_detail), op_pool(ops), memory_pool(memory) {}
  OpDetail detail;
  NameTable names{};
  SequenceTable sequences{};
  CapturedFrames captured{};
  RecordPool<OpRecord> op_pool;
  RecordPool<MemoryRecord> memory_pool;
};

// A frame as it begins. `key` is what leave() will name; unique among the open frames.
struct FrameStart {
  FrameKind kind = FrameKind::Op;
  std::string_view name{};
  std::string_view shape{};
  StepPhase phase = StepPhase::None;  // of Phase frames
  std::int64_t sequence = kNoSequence;
  std::uint64_t forward_thread{};
  const void* key = nullptr;
  Nanoseconds time{};
};

// One thread's frames: its stack, its totals and its part of the record. Touched by that thread
// alone while recording. Nothing here locks or allocates once the thread's names are known, and
// what can be worked out from the records afterwards is.
class ThreadRecorder {
 public:
  static constexpr std::size_t kDeepest = 256;

  ThreadRecorder(RecorderRoom& room, std::uint16_t place, RecordedThread thread);

  void enter(const FrameStart& start) noexcept;
  // Whether an op that begins now is a part of the innermost frame, and if so nothing more is to be
  // said of it: whoever asks before enter() spares a look at the clock. leave_part() likewise.
  [[nodiscard]] bool enter_part(std::int64_t sequence, std::uint64_t forward_thread) noexcept;
  // Closes the frame of this key and, should they have been left open, those inside it. A key that
  // is not open here (begun before the recording, or on another thread) is passed over.
  void leave(const void* key, Nanoseconds time) noexcept;
  [[nodiscard]] bool leave_part(const void* key) noexcept;
  // Gives the innermost open frame its shape, if it is a node of the backward without one.
  void describe(std::string_view shape) noexcept;
  void memory(MemoryRecord record) noexcept;
  // Id of the innermost open frame; 0 when none is open or it lies beyond the limit.
  [[nodiscard]] std::uint32_t current() const noexcept {
    return depth_ > 0 ? stack_[depth_ - 1].id : 0;
  }
  // Keeps the open frames for good; the innermost one's id among CapturedFrames.
  [[nodiscard]] std::uint32_t capture() const noexcept;

  // Between steps, while the thread records nothing.
  void keep(Keep what) noexcept { keep_ = what; }
  void reset() noexcept;
  void close_all(Nanoseconds time) noexcept;
  void collect(Recording& into) const;
  [[nodiscard]] const RecordedThread& thread() const { return thread_; }
  // For any thread: whether this one is in the middle of something.
  [[nodiscard]] std::size_t depth() const {
    return std::atomic_ref(const_cast<std::size_t&>(depth_)).load(std::memory_order_acquire);
  }

 private:
  struct Frame {
    const void* key;
    void* room;  // for its record, which is made when it ends; null beyond the limit
    std::uint32_t id;
    NameId name;
    NameId shape;
    NameId module;
    FrameKind kind;
    StepPhase phase;
    bool counts;  // false: its time is thrown away
    bool whole;   // the ops inside it are a part of it
    std::uint32_t forward_thread;
    std::int64_t sequence;
    Nanoseconds start;
    Nanoseconds children;
  };
  [[nodiscard]] NameId module_of(const FrameStart& start, NameId name, StepPhase phase) noexcept;
  [[nodiscard]] bool is_inside(NameId name) const noexcept;  // of the innermost frame
  void set_depth(std::size_t depth) noexcept {
    std::atomic_ref(depth_).store(depth, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void take_room(Frame& frame) noexcept;
  void record(const Frame& frame, Nanoseconds end) noexcept;
  void pop(Nanoseconds time) noexcept;
  void add_beyond_limit(const Frame& frame, Nanoseconds took) noexcept;

  RecorderRoom& room_;
  std::uint16_t place_;
  RecordedThread thread_;
  // By where a name lies: torch's names of ops stay where they are. They lie at like distances in
  // memory, so that the low bits of their addresses alone had every other name chase its neighbour.
  [[nodiscard]] NameTable::Hint& hint_for(std::string_view name) noexcept {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
    return hints_[(reinterpret_cast<std::uintptr_t>(name.data()) * kGoldenRatio) >> 52U];
  }
  std::array<NameTable::Hint, 4096> hints_{};
  std::array<Frame, kDeepest> stack_;
  std::size_t depth_ = 0;
  std::size_t beyond_ = 0;        // open frames that found no place on the stack
  std::size_t inside_whole_ = 0;  // open ops that are part of the innermost frame
  NameId last_backward_module_ = 0;
  TotalTable beyond_limit_;  // totals of the frames that have no record
  RecordPool<OpRecord>::Writer ops_;
  RecordPool<MemoryRecord>::Writer memories_;
  RecordingGaps gaps_;
  Keep keep_ = Keep::Everything;
};

}  // namespace ridgeline
