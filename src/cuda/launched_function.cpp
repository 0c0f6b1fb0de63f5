#include "cuda/launched_function.h"

#include <cuda.h>

namespace ridgeline {
namespace {

template <class Parameters>
std::uint64_t function_of(const void* parameters) noexcept {
  return reinterpret_cast<std::uintptr_t>(static_cast<const Parameters*>(parameters)->f);
}

}  // namespace

std::uint64_t launched_by(const ApiCall& call, const void* parameters) noexcept {
  if (call.domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    switch (call.id) {
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
        return function_of<cuLaunchKernel_params>(parameters);
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
        return function_of<cuLaunchKernelEx_params>(parameters);
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
        return function_of<cuLaunchCooperativeKernel_params>(parameters);
      default:
        break;
    }
  }
  // Numbers far below any address.
  return (std::uint64_t{static_cast<std::uint32_t>(call.domain)} << 32U) | call.id;
}

}  // namespace ridgeline
