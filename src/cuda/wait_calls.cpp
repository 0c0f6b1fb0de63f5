#include "cuda/wait_calls.h"

#include <algorithm>

namespace ridgeline {
namespace {

template <class Parameters>
const Parameters& as(const void* parameters) noexcept {
  return *static_cast<const Parameters*>(parameters);
}

std::optional<CUstream> of_runtime(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
      return as<cudaStreamSynchronize_v3020_params>(parameters).stream;
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020:
      return as<cudaStreamWaitEvent_v3020_params>(parameters).stream;
    default:
      return std::nullopt;
  }
}

std::optional<CUstream> of_driver(CUpti_CallbackId id, const void* parameters) noexcept {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
      return as<cuStreamSynchronize_params>(parameters).hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent:
      return as<cuStreamWaitEvent_params>(parameters).hStream;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<SyncKind> wait_of(const ApiCall& call) noexcept {
  const auto found = std::ranges::find(kWaitCalls, call, &WaitCall::call);
  return found == kWaitCalls.end() ? std::nullopt : std::optional(found->kind);
}

std::optional<CUstream> stream_of_wait(const ApiCall& call, const void* parameters) noexcept {
  return call.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? of_runtime(call.id, parameters)
                                                    : of_driver(call.id, parameters);
}

}  // namespace ridgeline
