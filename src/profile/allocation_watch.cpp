#include "profile/allocation_watch.h"

#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

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

// Torch keeps who listens with the thread, and frees it when the thread ends: of the first one
// before anything that runs at exit. By then nothing of torch's may name us, nor we ask for it.
constinit thread_local c10::DebugInfoGuard* heard_here = nullptr;

void stop_hearing() noexcept { delete std::exchange(heard_here, nullptr); }

void hear(const std::shared_ptr<AllocationListener>& listener) {
  heard_here = new c10::DebugInfoGuard(c10::DebugInfoKind::PROFILER_STATE, listener);
  struct ThreadEnd {
    ~ThreadEnd() { stop_hearing(); }
  };
  // Younger than torch's own state of the thread, so that it ends before that.
  thread_local const ThreadEnd end;
}

}  // namespace

struct AllocationWatch::Listening {
  Listening() { hear(listener); }
  ~Listening() { stop_hearing(); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  std::shared_ptr<AllocationListener> listener = std::make_shared<AllocationListener>();
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
