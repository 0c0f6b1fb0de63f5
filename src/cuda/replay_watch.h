#pragma once

#include <atomic>

#include <cuda_runtime_api.h>

namespace ridgeline {

// Whoever times replays of captured graphs: told on the thread that launches, right before and
// right after the launch. May not throw: a step goes on whatever becomes of its timing.
class ReplayListener {
 public:
  virtual ~ReplayListener() = default;
  virtual void before_replay(const void* graph, cudaStream_t stream) noexcept = 0;
  virtual void after_replay(cudaStream_t stream) noexcept = 0;
};

// One branch when nobody listens.
extern std::atomic<ReplayListener*> replay_listener;

// A replay while it lives.
class [[nodiscard]] ReplayScope {
 public:
  ReplayScope(const void* graph, cudaStream_t stream)
      : listener_(replay_listener.load(std::memory_order_acquire)), stream_(stream) {
    if (listener_ != nullptr) [[unlikely]]
      listener_->before_replay(graph, stream_);
  }
  ~ReplayScope() {
    if (listener_ != nullptr) [[unlikely]]
      listener_->after_replay(stream_);
  }
  ReplayScope(const ReplayScope&) = delete;
  ReplayScope& operator=(const ReplayScope&) = delete;

 private:
  ReplayListener* listener_;
  cudaStream_t stream_;
};

}  // namespace ridgeline
