#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

#include "core/units.h"

namespace ridgeline {

// Throws Error(Memory) or Error(Device) with CUDA's own words.
void require_cuda(cudaError_t error, const char* what);

// Of the current device, given back with the last owner.
[[nodiscard]] std::shared_ptr<void> device_memory(std::size_t bytes);
[[nodiscard]] std::shared_ptr<void> pinned_memory(std::size_t bytes);

// A stream of its own with two events: launches are timed by the device, from before the first to
// after the last.
class TimedStream {
 public:
  TimedStream();
  ~TimedStream();
  TimedStream(const TimedStream&) = delete;
  TimedStream& operator=(const TimedStream&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  // Launches so many times, and waits.
  [[nodiscard]] Seconds time(std::uint64_t repetitions, const std::function<void()>& launch);

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace ridgeline
