#include "cuda/capture.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <exception>
#include <string>

#include <cuda_runtime_api.h>

#include "core/error.h"

namespace ridgeline {
namespace {

class CudaGraph final : public CapturedWork {
 public:
  CudaGraph() : device_(c10::cuda::current_device()), pool_(at::cuda::graph_pool_handle()) {}

  void record(const std::function<void()>& body) {
    // The work before must not be waited for inside the capture.
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    graph_.register_generator_state(
        at::globalContext().defaultGenerator(at::Device(at::kCUDA, device_)));
    try {
      // Thread-local: autograd's thread may launch into the capture, and threads that have nothing
      // to do with it (a sampler of counters) may call what a capture forbids.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      body();
      graph_.capture_end();
    } catch (...) {
      abandon();
      throw;
    }
  }
  void replay() override { graph_.replay(); }

 private:
  // PyTorch leaves the allocator in the capture's pool when a capture cannot end.
  void abandon() noexcept {
    const auto attempt = [](auto&& step) {
      try {
        step();
      } catch (const std::exception&) {
        return false;
      }
      return true;
    };
    if (!attempt([&] { graph_.capture_end(); })) {
      attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(device_, pool_); });
      attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(device_, pool_); });
    }
    attempt([&] { graph_.reset(); });
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
