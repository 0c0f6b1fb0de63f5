#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernels/batch_norm.h"

// The two ways to run BatchNorm; batch_norm.cpp picks one.
namespace ridgeline::kernels {

// Of the current device.
struct DeviceLimits {
  int multiprocessors = 0;
  int major = 0;
};

[[nodiscard]] inline int elements_of_vector(Element element) {
  return element == Element::Fp32 ? 4 : 8;
}

[[nodiscard]] cudaError_t streaming_forward(const BatchNormForward& args,
                                            const BatchNormWorkspace& workspace,
                                            const DeviceLimits& device, cudaStream_t stream);
[[nodiscard]] cudaError_t streaming_inference(const BatchNormInference& args,
                                              const DeviceLimits& device, cudaStream_t stream);
[[nodiscard]] cudaError_t streaming_backward(const BatchNormBackward& args,
                                             const BatchNormWorkspace& workspace,
                                             const DeviceLimits& device, cudaStream_t stream);
[[nodiscard]] cudaError_t cluster_forward(const BatchNormForward& args, cudaStream_t stream);
[[nodiscard]] cudaError_t cluster_backward(const BatchNormBackward& args, cudaStream_t stream);

}  // namespace ridgeline::kernels
