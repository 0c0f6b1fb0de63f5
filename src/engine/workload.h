#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "engine/backend.h"

namespace ridgeline {

// Times of one step, on the device's time line; they add up to `total`. A phase that the workload's
// extent leaves out is zero.
struct StepTimes {
  Seconds forward{};
  Seconds backward{};
  Seconds optimizer{};
  Seconds total{};
  Seconds host{};  // until the last launch returned; equals total where the host does the work
};

// A model on a device, ready to step. Whoever measures sees this and no torch.
class Workload {
 public:
  virtual ~Workload() = default;
  // One whole step; all device work has finished when it returns. Throws Error(Memory) when the
  // device has no room, and can be destroyed safely then.
  virtual StepTimes step() = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  virtual void reset_peak_memory() = 0;
  // Puts the process-wide choices of torch (TF32, autotuning, threads) back to this workload's,
  // where another one has stepped in between.
  virtual void activate() = 0;
  // What a step changes (weights, statistics, what the optimizer remembers), set aside and put
  // back, so that one step can be repeated exactly. Throws Error(BadInput) where the data moves on.
  virtual void keep_state() = 0;
  virtual void restore_state() = 0;
  // Takes this much once and returns it to the allocator, so that steps find it there.
  virtual void grow_memory(Bytes bytes) = 0;
};

}  // namespace ridgeline
