#include "cuda/launch_stream.h"

namespace ridgeline {
namespace {

template <class Parameters>
const Parameters& as(const void* parameters) noexcept {
  return *static_cast<const Parameters*>(parameters);
}

CUstream of_runtime(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
      return as<cudaLaunchKernelExC_v11060_params>(parameters).config->stream;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
      return as<cudaLaunchCooperativeKernel_v9000_params>(parameters).stream;
    default:
      return as<cudaLaunchKernel_v7000_params>(parameters).stream;
  }
}

CUstream of_driver(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return as<cuLaunchKernelEx_params>(parameters).config->hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      return as<cuLaunchCooperativeKernel_params>(parameters).hStream;
    default:
      return as<cuLaunchKernel_params>(parameters).hStream;
  }
}

}  // namespace

CUstream stream_of_launch(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* parameters) noexcept {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? of_runtime(id, parameters)
                                               : of_driver(id, parameters);
}

}  // namespace ridgeline
