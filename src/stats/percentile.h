#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/units.h"
#include "stats/interval.h"

namespace ridgeline {

struct Percentile {
  double p{};  // in percent: 99 for p99
  Seconds value{};
  Interval interval{};
};

// Refused (absent) when the samples are too few for an interval on both sides: at 95 %, p50 needs
// 6 samples, p90 36, p99 368, p99.9 3688. Below that the slowest sample seen is more likely than
// 2.5 % to lie under the true percentile, and the number would flatter. Throws Error unless
// 0 < p < 100.
[[nodiscard]] std::optional<Percentile> percentile(std::span<const Seconds> times, double p,
                                                   double confidence = kDefaultConfidence);

// For the message beside a refusal: "p99 needs 368 samples, there are 100".
[[nodiscard]] std::size_t samples_for_percentile(double p, double confidence = kDefaultConfidence);

}  // namespace ridgeline
