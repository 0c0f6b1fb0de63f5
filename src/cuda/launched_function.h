#pragma once

#include <cstdint>

#include "cuda/launch_calls.h"

namespace ridgeline {

// What a call gives the device, from the parameters that CUPTI shows of it: of one of
// kDriverKernelCalls the kernel's function, of any other the call itself. Equal for equal work, as
// long as the process lives.
[[nodiscard]] std::uint64_t launched_by(const ApiCall& call, const void* parameters) noexcept;

}  // namespace ridgeline
