#include "profile/allocation_watch.h"

#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profile/active_recording.h"
#include "profile/record_clock.h"

namespace ridgeline {
namespace {

class AllocationListener final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* address, std::int64_t bytes, std::size_t allocated,
                         std::size_t reserved, c10::Device device) override {
    if (!on.load(std::memory_order_relaxed)) return;
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
  [[nodiscard]] bool memoryProfilingEnabled() const override {
    return on.load(std::memory_order_relaxed);
  }
  std::atomic<bool> on{false};
};

}  // namespace

struct AllocationWatch::Listening {
  std::shared_ptr<AllocationListener> listener = std::make_shared<AllocationListener>();
  c10::DebugInfoGuard scope{c10::DebugInfoKind::PROFILER_STATE, listener};
  int log_level = FLAGS_caffe2_log_level;
};

// Torch warns when a block is freed that it did not see allocated; between recorded steps it sees
// none, so that says nothing.
AllocationWatch::AllocationWatch() : listening_(std::make_unique<Listening>()) {
  FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, c10::GLOG_ERROR);
}

AllocationWatch::~AllocationWatch() { FLAGS_caffe2_log_level = listening_->log_level; }

void AllocationWatch::turn(bool on) noexcept {
  listening_->listener->on.store(on, std::memory_order_relaxed);
}

}  // namespace ridgeline
