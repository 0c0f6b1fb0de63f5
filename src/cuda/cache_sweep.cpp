#include "cuda/cache_sweep.h"

#include "cuda/device_work.h"

namespace ridgeline {
namespace {

// One L2 is not enough: lines are not replaced strictly by age, and half of a large L2 may hold
// copies of the other half.
constexpr std::size_t kTimesL2 = 4;
constexpr int kBlocksEach = 8;  // on a multiprocessor: all its threads

std::size_t attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  require_cuda(cudaGetDevice(&device), "the current device");
  require_cuda(cudaDeviceGetAttribute(&value, which, device), "facts of the device");
  return static_cast<std::size_t>(value);
}

}  // namespace

CacheSweep::CacheSweep() {
  const std::size_t bytes = kTimesL2 * attribute(cudaDevAttrL2CacheSize);
  data_ = device_memory(bytes);
  out_ = device_memory(sizeof(std::uint32_t));
  require_cuda(cudaMemset(data_.get(), 0, bytes), "memory for emptying the caches");
  run_ = {.data = static_cast<const uint4*>(data_.get()),
          .words = bytes / sizeof(uint4),
          .blocks = kBlocksEach * static_cast<int>(attribute(cudaDevAttrMultiProcessorCount)),
          .out = static_cast<std::uint32_t*>(out_.get())};
  // The first launch loads the kernel, which must not happen within another launch.
  launch(nullptr);
  check();
  require_cuda(cudaDeviceSynchronize(), "emptying the caches");
}

void CacheSweep::launch(cudaStream_t stream) noexcept {
  const cudaError_t error = kernels::launch_sweep(run_, stream);
  if (failure_ == cudaSuccess) failure_ = error;
}

void CacheSweep::check() const { require_cuda(failure_, "emptying the caches before a kernel"); }

Bytes CacheSweep::size() const {
  return Bytes{static_cast<double>(run_.words) * static_cast<double>(sizeof(uint4))};
}

}  // namespace ridgeline
