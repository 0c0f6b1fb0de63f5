#include "cuda/cuda_runtime.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

struct Calls {
  decltype(&cuCtxGetCurrent) context{};
  decltype(&cudaDeviceSynchronize) wait{};
  decltype(&cudaGetDevice) device{};
  cudaError_t (*free)(void*){};
};

const Calls& calls() {
  static const Calls loaded = [] {
    const Library driver = Library::open("libcuda.so.1");
    const Library runtime = Library::open(fmt::format("libcudart.so.{}", CUDART_VERSION / 1000));
    return Calls{.context = driver.symbol<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent"),
                 .wait = runtime.symbol<decltype(&cudaDeviceSynchronize)>("cudaDeviceSynchronize"),
                 .device = runtime.symbol<decltype(&cudaGetDevice)>("cudaGetDevice"),
                 .free = runtime.symbol<cudaError_t (*)(void*)>("cudaFree")};
  }();
  return loaded;
}

CUcontext context_or_null() {
  CUcontext context = nullptr;
  return calls().context(&context) == CUDA_SUCCESS ? context : nullptr;
}

}  // namespace

void wait_for_device() noexcept {
  try {
    if (context_or_null() != nullptr) static_cast<void>(calls().wait());
  } catch (const Error&) {
    return;  // without CUDA there is nothing to wait for
  }
}

CUcontext current_context() {
  if (calls().free(nullptr) != cudaSuccess) throw Error(Fault::Device, "CUDA cannot be started");
  CUcontext const context = context_or_null();
  if (context == nullptr) throw Error(Fault::Device, "no CUDA context is current");
  return context;
}

int current_device() {
  int device = 0;
  if (calls().device(&device) != cudaSuccess) throw Error(Fault::Device, "no CUDA device");
  return device;
}

}  // namespace ridgeline
