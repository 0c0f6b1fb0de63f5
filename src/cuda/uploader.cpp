#include "cuda/uploader.h"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <vector>

#include <cuda_runtime_api.h>

#include "core/error.h"

namespace ridgeline {
namespace {

class Event {
 public:
  Event() { C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) const { C10_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  void hold_back(cudaStream_t stream) const {
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
  }
  void wait() const { C10_CUDA_CHECK(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaUploader final : public Uploader {
 public:
  explicit CudaUploader(std::size_t slots)
      : stream_(c10::cuda::getStreamFromPool()), consumed_(slots) {}

  void copy(at::Tensor& to, const void* from, std::size_t slot) override {
    RIDGELINE_CHECK(slot < consumed_.size() && to.is_contiguous());
    consumed_[slot].hold_back(stream_);
    C10_CUDA_CHECK(
        cudaMemcpyAsync(to.mutable_data_ptr(), from, to.nbytes(), cudaMemcpyHostToDevice, stream_));
    copied_.record(stream_);
    copied_.hold_back(c10::cuda::getCurrentCUDAStream());
    copied_.wait();
  }

  void consumed(std::size_t slot) override {
    RIDGELINE_CHECK(slot < consumed_.size());
    consumed_[slot].record(c10::cuda::getCurrentCUDAStream());
  }

 private:
  c10::cuda::CUDAStream stream_;
  Event copied_;
  std::vector<Event> consumed_;  // one never recorded holds nothing back
};

}  // namespace

std::unique_ptr<Uploader> make_cuda_uploader(std::size_t slots) {
  return std::make_unique<CudaUploader>(slots);
}

std::shared_ptr<std::byte> allocate_page_locked(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw Error(Fault::Memory, "no page-locked memory left");
  }
  return {static_cast<std::byte*>(memory),
          [](std::byte* held) { static_cast<void>(cudaFreeHost(held)); }};
}

}  // namespace ridgeline
