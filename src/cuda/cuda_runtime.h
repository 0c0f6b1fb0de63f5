#pragma once

#include <cuda.h>

namespace ridgeline {

// The calls of CUDA that watching needs, looked up in what the process has loaded: nothing is
// linked, so that a program without CUDA can hold this.

// Waits for the device of the calling thread's context; nothing happens where it has none.
void wait_for_device() noexcept;

// Made when there is none yet. Throws Error(Device).
[[nodiscard]] CUcontext current_context();
[[nodiscard]] int current_device();

}  // namespace ridgeline
