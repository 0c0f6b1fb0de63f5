#include "kernels/bench_buffers.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace ridgeline::bench {
namespace {

struct Event {
  Event() { check(cudaEventCreate(&handle)); }
  ~Event() { static_cast<void>(cudaEventDestroy(handle)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t handle = nullptr;
};

double elapsed_s(const Event& from, const Event& to) {
  check(cudaEventSynchronize(to.handle));
  float milliseconds = 0.F;
  check(cudaEventElapsedTime(&milliseconds, from.handle, to.handle));
  return static_cast<double>(milliseconds) * 1e-3;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Many calls as one graph, so that the device and not the host sets the pace.
double time_chain(const std::function<void(int)>& work, cudaStream_t stream) {
  constexpr int kCalls = 20;
  constexpr int kRepeats = 15;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kCalls; ++i) work(i);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, stream));
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const Event before;
    const Event after;
    check(cudaEventRecord(before.handle, stream));
    check(cudaGraphLaunch(executable, stream));
    check(cudaEventRecord(after.handle, stream));
    times.push_back(elapsed_s(before, after) / kCalls);
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  return median(times);
}

}  // namespace

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

DeviceMemory::DeviceMemory(std::size_t bytes) {
  check(cudaMalloc(&data_, std::max<std::size_t>(bytes, 16)));
}
DeviceMemory::~DeviceMemory() { static_cast<void>(cudaFree(data_)); }
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)) {}

DeviceMemory random_bf16(std::size_t bytes) {
  std::vector<std::uint16_t> values(std::min<std::size_t>(bytes / 2, std::size_t{1} << 20));
  std::uint32_t state = 1;
  for (std::uint16_t& value : values) {
    state = state * 1664525U + 1013904223U;
    // Sign, an exponent of 0.5 to 2, and a mantissa.
    value = static_cast<std::uint16_t>((state >> 16 & 0x80ffU) | 0x3f00U);
  }
  DeviceMemory memory(bytes);
  for (std::size_t done = 0; done < bytes; done += values.size() * 2) {
    check(cudaMemcpy(memory.as<char>() + done, values.data(),
                     std::min(values.size() * 2, bytes - done), cudaMemcpyHostToDevice));
  }
  return memory;
}

DeviceMemory filled(std::size_t floats, float value) {
  DeviceMemory memory(floats * sizeof(float));
  const std::vector<float> values(floats, value);
  check(cudaMemcpy(memory.data(), values.data(), floats * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}

Timing time_calls(const std::function<void(int)>& work, cudaStream_t stream) {
  constexpr int kWarmup = 5;
  constexpr int kSamples = 31;
  for (int i = 0; i < kWarmup; ++i) work(i);
  check(cudaStreamSynchronize(stream));
  std::vector<double> times;
  for (int i = 0; i < kSamples; ++i) {
    const Event before;
    const Event after;
    check(cudaEventRecord(before.handle, stream));
    work(i);
    check(cudaEventRecord(after.handle, stream));
    times.push_back(elapsed_s(before, after));
  }
  return {.cold_s = median(times), .chain_s = time_chain(work, stream)};
}

}  // namespace ridgeline::bench
