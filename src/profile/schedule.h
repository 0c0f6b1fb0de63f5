#pragma once

#include <cstdint>

namespace ridgeline {

// Which steps are recorded, in PyTorch's words: so many are waited for, so many warm up the
// profiler, so many are recorded, and all of that is repeated.
struct StepSchedule {
  int wait = 1;
  int warmup = 1;
  int active = 3;
  int repeat = 1;
};

enum class StepAction : std::uint8_t { Wait, WarmUp, Record };

[[nodiscard]] StepAction action_at(const StepSchedule& schedule, std::int64_t step);
[[nodiscard]] std::int64_t step_count(const StepSchedule& schedule);

}  // namespace ridgeline
