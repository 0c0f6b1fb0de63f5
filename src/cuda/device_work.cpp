#include "cuda/device_work.h"

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {

void require_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  // Reading it clears it; a later launch must not answer for this one.
  static_cast<void>(cudaGetLastError());
  throw Error(error == cudaErrorMemoryAllocation ? Fault::Memory : Fault::Device,
              fmt::format("{}: {}", what, cudaGetErrorString(error)));
}

std::shared_ptr<void> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  require_cuda(cudaMalloc(&memory, bytes), "memory of the device");
  return {memory, [](void* held) { static_cast<void>(cudaFree(held)); }};
}

std::shared_ptr<void> pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  require_cuda(cudaMallocHost(&memory, bytes), "page-locked memory");
  return {memory, [](void* held) { static_cast<void>(cudaFreeHost(held)); }};
}

TimedStream::TimedStream() {
  require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  require_cuda(cudaEventCreate(&begin_), "an event");
  require_cuda(cudaEventCreate(&end_), "an event");
}

TimedStream::~TimedStream() {
  static_cast<void>(cudaStreamSynchronize(stream_));
  static_cast<void>(cudaEventDestroy(begin_));
  static_cast<void>(cudaEventDestroy(end_));
  static_cast<void>(cudaStreamDestroy(stream_));
}

Seconds TimedStream::time(std::uint64_t repetitions, const std::function<void()>& launch) {
  require_cuda(cudaEventRecord(begin_, stream_), "the first event");
  for (std::uint64_t i = 0; i < repetitions; ++i) launch();
  require_cuda(cudaEventRecord(end_, stream_), "the last event");
  require_cuda(cudaEventSynchronize(end_), "work on the device");
  float milliseconds = 0.F;
  require_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "time between events");
  return Seconds(static_cast<double>(milliseconds) * 1e-3);
}

}  // namespace ridgeline
