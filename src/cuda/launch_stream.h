#pragma once

#include <cuda.h>
#include <cupti.h>

namespace ridgeline {

// The stream of a call of kRuntimeKernelCalls or kDriverKernelCalls, from the parameters that CUPTI
// shows of it.
[[nodiscard]] CUstream stream_of_launch(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                        const void* parameters) noexcept;

}  // namespace ridgeline
