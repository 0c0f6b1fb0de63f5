#include "cuda/clock.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <vector>

#include <cuda_runtime_api.h>

#include "core/error.h"

namespace ridgeline {
namespace {

class CudaClock final : public StepClock {
 public:
  explicit CudaClock(std::size_t points) {
    events_.reserve(points);
    for (std::size_t i = 0; i < points; ++i) {
      cudaEvent_t event = nullptr;
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDefault));
      events_.push_back(event);
    }
  }
  ~CudaClock() override {
    for (const cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  }
  CudaClock(const CudaClock&) = delete;
  CudaClock& operator=(const CudaClock&) = delete;

  void mark(std::size_t point) override {
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    C10_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    // Without this flag a capture takes the event for an order among its own nodes, and no replay
    // would ever record it.
    const unsigned flags =
        status == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    C10_CUDA_CHECK(cudaEventRecordWithFlags(event(point), stream, flags));
  }
  void wait(std::size_t point) override { C10_CUDA_CHECK(cudaEventSynchronize(event(point))); }
  [[nodiscard]] Seconds between(std::size_t from, std::size_t to) const override {
    float milliseconds = 0.F;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event(from), event(to)));
    return Seconds(static_cast<double>(milliseconds) * 1e-3);
  }

 private:
  [[nodiscard]] cudaEvent_t event(std::size_t point) const {
    RIDGELINE_CHECK(point < events_.size());
    return events_[point];
  }

  std::vector<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<StepClock> make_cuda_clock(std::size_t points) {
  return std::make_unique<CudaClock>(points);
}

}  // namespace ridgeline
