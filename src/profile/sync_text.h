#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// A call of CUDA's runtime, with the number that CUPTI gives it (cupti_runtime_cbid.h).
struct RuntimeCall {
  std::string_view name{};
  int number{};
};

// How the host's waits stand in a trace: as PyTorch's profiler writes them (category cuda_sync),
// but all on tracks of their own, -1 and, where waits of several threads overlap, below. PyTorch
// puts a wait for a stream on that stream, where it lies across the kernels it waits for: no viewer
// can nest that, and HTA counts it as the device's work.

// The track of each.
[[nodiscard]] std::vector<std::int32_t> sync_tracks(const std::vector<SyncRecord>& syncs);

// The members of "args".
[[nodiscard]] std::string sync_arguments(const SyncRecord& sync);

// The host's call; empty for what is no wait of the host.
[[nodiscard]] RuntimeCall call_of(SyncKind kind);

}  // namespace ridgeline
