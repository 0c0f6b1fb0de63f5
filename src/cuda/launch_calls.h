#pragma once

#include <array>

#include <cupti.h>

namespace ridgeline {

struct ApiCall {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId id;
  bool operator==(const ApiCall&) const = default;
};

// The calls that launch kernels. Of the fourteen calls a kernel that torch makes, most only ask
// something, and listening to those costs more than all the rest.
inline constexpr std::array kRuntimeKernelCalls{
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000},
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060},
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API,
            CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000},
};
// The runtime's end in one of these, under the number that the kernel's record has.
inline constexpr std::array kDriverKernelCalls{
    ApiCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel},
    ApiCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx},
    ApiCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel},
};

// The other calls that give the device work.
inline constexpr std::array kOtherWorkCalls{
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020},
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020},
    ApiCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000},
    ApiCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async},
    ApiCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async},
};

}  // namespace ridgeline
