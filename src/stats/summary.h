#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/units.h"
#include "stats/interval.h"

namespace ridgeline {

// One arm in numbers. Raw times stay beside this in the result file, so a reader who doubts can
// recompute.
struct Summary {
  std::size_t count{};
  Seconds mean{};
  Seconds median{};
  Seconds fastest{};
  Seconds slowest{};
  std::optional<Seconds> deviation{};         // sample standard deviation; absent for one sample
  std::optional<double> cv_percent{};         // deviation / mean; absent where either is, or mean 0
  std::optional<Interval> median_interval{};  // 95 %, order statistics; absent below 6 samples
};

// Throws Error on an empty span or a sample that is not finite.
[[nodiscard]] Summary summarise(std::span<const Seconds> times);

}  // namespace ridgeline
