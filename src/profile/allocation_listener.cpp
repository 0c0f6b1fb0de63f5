#include "profile/allocation_listener.h"

#include <c10/util/Logging.h>

#include <algorithm>

#include "profile/active_recording.h"
#include "profile/record_clock.h"

namespace ridgeline {

// Torch warns when a block is freed that it did not see allocated; between recorded steps it sees
// none, so that says nothing.
AllocationListener::AllocationListener() : log_level_(FLAGS_caffe2_log_level) {
  FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, c10::GLOG_ERROR);
}

AllocationListener::~AllocationListener() { FLAGS_caffe2_log_level = log_level_; }

void AllocationListener::reportMemoryUsage(void* address, std::int64_t bytes, std::size_t allocated,
                                           std::size_t reserved, c10::Device device) {
  if (!enabled.load(std::memory_order_relaxed)) return;
  ThreadRecorder* const thread = thread_recorder();
  if (thread == nullptr) return;
  thread->memory({.time = record_time(),
                  .address = reinterpret_cast<std::uint64_t>(address),
                  .bytes = bytes,
                  .allocated = static_cast<std::int64_t>(allocated),
                  .reserved = static_cast<std::int64_t>(reserved),
                  .device = device.index(),
                  .on_device = !device.is_cpu()});
}

}  // namespace ridgeline
