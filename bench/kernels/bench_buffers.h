#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <cuda_runtime_api.h>

namespace ridgeline::bench {

void check(cudaError_t error);

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  [[nodiscard]] void* data() const { return data_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

// `bytes` of pseudo-random bf16 values around one.
[[nodiscard]] DeviceMemory random_bf16(std::size_t bytes);
[[nodiscard]] DeviceMemory filled(std::size_t floats, float value);

struct Timing {
  double cold_s = 0;   // one call at a time, median
  double chain_s = 0;  // a call in a captured chain of many: no launch cost of the host
};

// `work(i)` runs call i on `stream`; callers rotate buffers by i, so that a tensor smaller than L2
// does not stay there from call to call.
[[nodiscard]] Timing time_calls(const std::function<void(int)>& work, cudaStream_t stream);

}  // namespace ridgeline::bench
