#include "cuda/capture.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <exception>
#include <string>

#include <cuda_runtime_api.h>

#include "core/error.h"
#include "cuda/replay_watch.h"

namespace ridgeline {
namespace {

// Thread-local: autograd's thread may launch into the capture, and threads that have nothing to do
// with it (a sampler of counters) may call what a capture forbids.
constexpr auto kMode = cudaStreamCaptureModeThreadLocal;

const at::Generator& default_generator(c10::DeviceIndex device) {
  return at::globalContext().defaultGenerator(at::Device(at::kCUDA, device));
}

template <class Step>
bool succeeds(Step&& step) noexcept {
  try {
    step();
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

// After a capture that could not end the random generator still takes itself for captured, and
// refuses eager work until one does end. The graph needs a node, or torch warns that it is empty.
void end_some_capture(c10::DeviceIndex device) {
  void* byte = c10::cuda::CUDACachingAllocator::raw_alloc(1);
  at::cuda::CUDAGraph graph;
  graph.register_generator_state(default_generator(device));
  graph.capture_begin(at::cuda::graph_pool_handle(), kMode);
  static_cast<void>(cudaMemsetAsync(byte, 0, 1, c10::cuda::getCurrentCUDAStream()));
  graph.capture_end();
  c10::cuda::CUDACachingAllocator::raw_delete(byte);
}

class CudaGraph final : public CapturedWork {
 public:
  CudaGraph() : device_(c10::cuda::current_device()), pool_(at::cuda::graph_pool_handle()) {}

  void record(const std::function<void()>& body) {
    // The work before must not be waited for inside the capture.
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    graph_.register_generator_state(default_generator(device_));
    try {
      graph_.capture_begin(pool_, kMode);
      body();
      graph_.capture_end();
    } catch (...) {
      abandon();
      throw;
    }
  }
  void replay() override {
    const ReplayScope told(this, c10::cuda::getCurrentCUDAStream());
    graph_.replay();
  }

 private:
  void abandon() noexcept {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const bool ended = succeeds([&] { graph_.capture_end(); });
    static_cast<void>(cudaGetLastError());
    if (ended) return;
    // PyTorch leaves the allocator in the capture's pool when a capture cannot end.
    succeeds([&] { allocator::endAllocateToPool(device_, pool_); });
    succeeds([&] { allocator::releasePool(device_, pool_); });
    succeeds([&] { end_some_capture(device_); });
    static_cast<void>(cudaGetLastError());
  }

  c10::DeviceIndex device_;
  c10::MempoolId_t pool_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<CapturedWork> capture_cuda_graph(const std::function<void()>& body) {
  auto graph = std::make_unique<CudaGraph>();
  try {
    graph->record(body);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& error) {
    throw Error(Fault::Device,
                std::string("graph capture failed: ") + error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw Error(Fault::Device, std::string("graph capture failed: ") + error.what());
  }
  return graph;
}

}  // namespace ridgeline
