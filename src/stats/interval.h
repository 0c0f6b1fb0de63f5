#pragma once

#include "core/units.h"

namespace ridgeline {

inline constexpr double kDefaultConfidence = 0.95;

// `confidence` is the level asked for. Order-statistic intervals cover at least that often: their
// coverage moves in steps with the number of samples and is rounded up.
struct Interval {
  Seconds low{};
  Seconds high{};
  double confidence{};
};

}  // namespace ridgeline
