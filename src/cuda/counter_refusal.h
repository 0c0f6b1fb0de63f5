#pragma once

#include <cupti.h>

namespace ridgeline {

// Throws Error(Device): why the hardware counters cannot be read, and what would permit it.
[[noreturn]] void refuse_counters(CUptiResult result, const char* what);

// For calls of the range profiler, any of which may be the one that is refused.
inline void require_counters(CUptiResult result, const char* what) {
  if (result != CUPTI_SUCCESS) refuse_counters(result, what);
}

}  // namespace ridgeline
