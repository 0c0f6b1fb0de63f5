#pragma once

#include <string>

namespace ridgeline {

// LibTorch's own record of what its CUDA allocator gives out, with native stacks: the newest
// 100,000 events.
void record_cuda_memory_history(bool on);
// That record and the allocator's state as the pickle that PyTorch's memory viewer reads.
[[nodiscard]] std::string cuda_memory_snapshot();

}  // namespace ridgeline
