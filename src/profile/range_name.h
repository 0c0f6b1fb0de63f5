#pragma once

#include "engine/scope.h"

namespace ridgeline {

// A phase's range in traces and stacks: what training scripts call theirs, and the trainer its NVTX
// range, so that searches and filters written for those find ours. Rows and tables keep name_of.
[[nodiscard]] constexpr const char* range_name(StepPhase phase) {
  return phase == StepPhase::Optimizer ? "optimizer_step" : name_of(phase);
}

}  // namespace ridgeline
