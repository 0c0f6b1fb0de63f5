#include "engine/backend.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "core/error.h"
#include "cuda/augment.h"
#include "cuda/capture.h"
#include "cuda/clock.h"
#include "cuda/fused_batch_norm.h"
#include "cuda/memory_history.h"
#include "cuda/uploader.h"

namespace ridgeline {
namespace {

c10::DeviceIndex device_index(int index) {
  RIDGELINE_CHECK(index >= 0 && index < c10::cuda::device_count());
  return static_cast<c10::DeviceIndex>(index);
}

// Streams of the pool do not wait for the default stream, so work crosses at both ends.
class CudaScope final : public DeviceScope {
 public:
  explicit CudaScope(c10::cuda::CUDAStream stream) : guard_(after_default(stream)) {}
  ~CudaScope() override {
    static_cast<void>(cudaStreamSynchronize(guard_.current_stream().stream()));
  }
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;

 private:
  static c10::cuda::CUDAStream after_default(c10::cuda::CUDAStream stream) {
    const c10::cuda::CUDAGuard guard(stream.device_index());
    c10::cuda::getCurrentCUDAStream().synchronize();
    return stream;
  }

  c10::cuda::CUDAStreamGuard guard_;
};

class CudaBackend final : public Backend {
 public:
  [[nodiscard]] int device_count() const override { return c10::cuda::device_count(); }

  [[nodiscard]] DeviceFacts facts(int index) const override {
    const c10::cuda::CUDAGuard guard(device_index(index));
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    std::size_t free = 0;
    std::size_t total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return {.name = properties.name,
            .total_memory = Bytes{static_cast<double>(total)},
            .free_memory = Bytes{static_cast<double>(free)},
            .multiprocessors = properties.multiProcessorCount,
            .compute_major = properties.major,
            .compute_minor = properties.minor};
  }

  [[nodiscard]] std::unique_ptr<DeviceScope> enter(int index) override {
    at::globalContext().lazyInitDevice(at::kCUDA);
    return std::make_unique<CudaScope>(side_stream(device_index(index)));
  }

  [[nodiscard]] std::unique_ptr<StepClock> make_clock(std::size_t points) override {
    return make_cuda_clock(points);
  }

  void synchronize() override { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

  [[nodiscard]] MemoryUse memory() const override {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const auto stats = allocator::getDeviceStats(c10::cuda::current_device());
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return {.current = Bytes{static_cast<double>(stats.allocated_bytes[kAll].current)},
            .peak = Bytes{static_cast<double>(stats.allocated_bytes[kAll].peak)},
            .reserved = Bytes{static_cast<double>(stats.reserved_bytes[kAll].current)}};
  }
  void reset_peak_memory() override {
    c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
  }
  void release_cached_memory() override { c10::cuda::CUDACachingAllocator::emptyCache(); }

  // CUDA captures only side streams, and enter() makes one current.
  [[nodiscard]] std::optional<std::string> capture_obstacle() const override {
    return std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<CapturedWork> capture(const std::function<void()>& body) override {
    return capture_cuda_graph(body);
  }

  [[nodiscard]] Ops fused(const Ops& plain) const override { return with_fused_batch_norm(plain); }

  void set_tf32(bool allowed) override {
    at::globalContext().setAllowTF32CuBLAS(allowed);
    at::globalContext().setAllowTF32CuDNN(allowed);
  }

  [[nodiscard]] std::shared_ptr<std::byte> allocate_pinned(std::size_t bytes) override {
    return allocate_page_locked(bytes);
  }
  [[nodiscard]] std::unique_ptr<Uploader> make_uploader(std::size_t slots) override {
    return make_cuda_uploader(slots);
  }
  [[nodiscard]] std::optional<std::string> augment_obstacle(const AugmentJob& job) const override {
    return cuda_augment_obstacle(job);
  }
  void augment(const AugmentJob& job) override { cuda_augment(job); }
  void push_range(const char* name) override { nvtxRangePushA(name); }
  void pop_range() override { nvtxRangePop(); }
  void start_profiler() override { C10_CUDA_CHECK(cudaProfilerStart()); }
  void stop_profiler() override { C10_CUDA_CHECK(cudaProfilerStop()); }
  [[nodiscard]] std::optional<std::string> memory_history_obstacle() const override {
    return std::nullopt;
  }
  void record_memory_history(bool on) override { record_cuda_memory_history(on); }
  [[nodiscard]] std::string memory_snapshot() override { return cuda_memory_snapshot(); }

 private:
  // One a device for good: the allocator's cache goes by stream, so memory of one row would be of
  // no use to the next on another stream.
  c10::cuda::CUDAStream side_stream(c10::DeviceIndex index) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(index);
    if (found != streams_.end()) return found->second;
    return streams_.emplace(index, c10::cuda::getStreamFromPool(false, index)).first->second;
  }

  std::mutex mutex_;
  std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams_;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::Backend* ridgeline_cuda_backend() {
  static ridgeline::CudaBackend backend;
  return &backend;
}
