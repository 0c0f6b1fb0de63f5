#pragma once

#include <atomic>
#include <cstdint>

#include "profile/recorder.h"

namespace ridgeline {

// Torch's callbacks are plain functions, so what they work on is found here. The number tells a
// thread that what it remembers belongs to an earlier recording.
struct ActiveRecording {
  std::atomic<Recorder*> recorder{nullptr};
  std::atomic<std::uint64_t> number{0};
};
extern ActiveRecording active_recording;

struct RememberedRecorder {
  ThreadRecorder* recorder = nullptr;
  std::uint64_t number = 0;
};
// In the room that the loader keeps for late libraries: elsewhere each look would be a call.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local RememberedRecorder my_recorder;

// Takes this thread's room in the recording that is active now; null when none is, or no room.
[[nodiscard]] ThreadRecorder* join_recording() noexcept;

[[nodiscard]] inline ThreadRecorder* thread_recorder() noexcept {
  if (my_recorder.number == active_recording.number.load(std::memory_order_acquire)) [[likely]]
    return my_recorder.recorder;
  return join_recording();
}

}  // namespace ridgeline
