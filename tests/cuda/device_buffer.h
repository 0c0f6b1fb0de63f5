#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace ridgeline {

inline bool has_cuda_device() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return found;
}

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Device memory with guard bytes on both sides, poisoned: what a kernel forgets to write reads as
// NaN, and what it writes beyond shows.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&memory_, bytes + 2 * kGuard));
    check(cudaMemset(memory_, kPoison, bytes + 2 * kGuard));
  }
  template <class T>
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size() * sizeof(T)) {
    check(cudaMemcpy(data(), values.data(), bytes_, cudaMemcpyHostToDevice));
  }
  ~DeviceBuffer() { static_cast<void>(cudaFree(memory_)); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] void* data() const { return static_cast<char*>(memory_) + kGuard; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data());
  }
  template <class T>
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    check(cudaMemcpy(values.data(), data(), bytes_, cudaMemcpyDeviceToHost));
    return values;
  }
  [[nodiscard]] bool guards_intact() const {
    std::vector<unsigned char> all(bytes_ + 2 * kGuard);
    check(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (all[i] != kPoison || all[all.size() - 1 - i] != kPoison) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr int kPoison = 0xff;

  std::size_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace ridgeline
