#include "profile/recorder.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ridgeline {
namespace {

// What a record takes in trace.json, with its flow and its evaluation; measured on ours: 270 bytes
// of a transformer's op, 350 with shapes.
constexpr double kBytesPerOp = 350;
constexpr double kBytesPerAllocation = 250;
// 3 GiB of them, a trace that no viewer opens; and ids are 32 bits wide.
constexpr double kMostRecords = 5e7;

constexpr std::chrono::milliseconds kGlance{1};
constexpr int kMostGlances = 1000;
// A frame may be about to begin when recording stops: one look at a quiet thread is not enough.
constexpr int kQuietGlances = 2;

}  // namespace

RecorderLimits limits_for(double trace_bytes, bool with_memory) {
  const double ops = trace_bytes * (with_memory ? 0.6 : 1.0) / kBytesPerOp;
  const double memory = with_memory ? trace_bytes * 0.4 / kBytesPerAllocation : 0;
  return {.ops = static_cast<std::size_t>(std::clamp(ops, 0.0, kMostRecords)),
          .memory = static_cast<std::size_t>(std::clamp(memory, 0.0, kMostRecords))};
}

Recorder::Recorder(const RecorderLimits& limits, OpDetail detail)
    : room_(std::make_unique<RecorderRoom>(limits.ops, limits.memory, detail)) {}

// A thread that is inside an op will come back to its room to end it.
Recorder::~Recorder() {
  const bool in_use =
      std::ranges::any_of(threads_, [](const auto& thread) { return thread->depth() > 0; });
  if (!in_use) return;
  for (auto& thread : threads_) (void)thread.release();
  (void)room_.release();
}

void Recorder::await_quiet(const ThreadRecorder* own) const {
  const auto is_busy = [&](const auto& thread) {
    return thread.get() != own && thread->depth() > 0;
  };
  if (threads_.size() < 2) return;
  int quiet = 0;
  for (int glance = 0; glance < kMostGlances && quiet < kQuietGlances; ++glance) {
    std::this_thread::sleep_for(kGlance);
    quiet = std::ranges::any_of(threads_, is_busy) ? 0 : quiet + 1;
  }
}

ThreadRecorder& Recorder::join(const RecordedThread& thread) {
  const std::lock_guard lock(joining_);
  threads_.push_back(std::make_unique<ThreadRecorder>(
      *room_, static_cast<std::uint16_t>(threads_.size()), thread));
  threads_.back()->keep(keep_);
  return *threads_.back();
}

void Recorder::keep(Keep what) {
  const std::lock_guard lock(joining_);
  keep_ = what;
  for (const auto& thread : threads_) thread->keep(what);
}

void Recorder::reset() {
  const std::lock_guard lock(joining_);
  for (const auto& thread : threads_) thread->reset();
  room_->op_pool.reset();
  room_->memory_pool.reset();
  room_->captured.forget_ids();
  steps_.clear();
}

Recording Recorder::finish(Nanoseconds time, const ThreadRecorder* own) {
  const std::lock_guard lock(joining_);
  if (own != nullptr) await_quiet(own);
  Recording recording;
  for (const auto& thread : threads_) {
    recording.threads.push_back(thread->thread());
    if (own != nullptr && thread.get() != own && thread->depth() > 0) {
      recording.gaps.unfinished += thread->depth();
      continue;
    }
    thread->close_all(time);
    thread->collect(recording);
  }
  recording.steps = steps_;
  recording.captured = room_->captured.all();
  recording.names = room_->names.names();
  recording.gaps.names_beyond_limit = room_->names.overflowed();
  std::ranges::stable_sort(recording.memory, {}, &MemoryRecord::time);
  return recording;
}

}  // namespace ridgeline
