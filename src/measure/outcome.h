#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "engine/backend.h"
#include "measure/sampler.h"

namespace ridgeline {

struct Measured {
  Samples samples;
  MemoryUse memory;
  std::optional<double> energy_joules;  // a step
  Seconds build_time{};                 // making the workload, before the first step
  std::vector<double> reserved_bytes;   // after each of the first steps, warm-up included
};
struct Skipped {
  std::string reason;  // "graph mode needs CUDA graphs; a CPU has none"
};
struct Failed {
  Fault fault{};
  std::string message;
};
// A variant, so that no report can forget the rows without a number.
using Outcome = std::variant<Measured, Skipped, Failed>;

}  // namespace ridgeline
