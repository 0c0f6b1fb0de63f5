#include "profile/active_recording.h"

#include <ATen/record_function.h>

#include <new>

#include <sys/syscall.h>
#include <unistd.h>

namespace ridgeline {

ActiveRecording active_recording;
constinit thread_local RememberedRecorder my_recorder;

ThreadRecorder* join_recording() noexcept {
  const std::uint64_t now = active_recording.number.load(std::memory_order_acquire);
  Recorder* const recorder = active_recording.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return nullptr;
  try {
    my_recorder.recorder =
        &recorder->join({.system_id = static_cast<std::uint64_t>(::syscall(SYS_gettid)),
                         .torch_id = at::RecordFunction::currentThreadId()});
  } catch (const std::bad_alloc&) {
    my_recorder.recorder = nullptr;
  }
  my_recorder.number = now;
  return my_recorder.recorder;
}

}  // namespace ridgeline
