#pragma once

#include <array>
#include <optional>

#include <cupti.h>

#include "cuda/launch_calls.h"
#include "profile/records.h"

namespace ridgeline {

struct WaitCall {
  ApiCall call;
  SyncKind kind;
};

// The calls that wait for the device: a few a step, and the op they are made in is worth knowing.
// CUPTI has records of them too (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION), but with that kind every
// call of the runtime is looked at, and goes on being so when it is off again: on one H200 an eager
// step of ResNet-18 took 1.4 times as long while nothing was recorded.
inline constexpr std::array kWaitCalls{
    WaitCall{{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020},
             SyncKind::Event},
    WaitCall{{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020},
             SyncKind::Stream},
    WaitCall{{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020},
             SyncKind::Context},
    WaitCall{{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020},
             SyncKind::StreamWaitsForEvent},
    WaitCall{{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize},
             SyncKind::Event},
    WaitCall{{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize},
             SyncKind::Stream},
    WaitCall{{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize},
             SyncKind::Context},
    WaitCall{{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent},
             SyncKind::StreamWaitsForEvent},
};

// Absent for a call that waits for nothing.
[[nodiscard]] std::optional<SyncKind> wait_of(const ApiCall& call) noexcept;

// The stream that is waited for, of a stream that waits that one; absent where the call names none.
[[nodiscard]] std::optional<CUstream> stream_of_wait(const ApiCall& call,
                                                     const void* parameters) noexcept;

}  // namespace ridgeline
