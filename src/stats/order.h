#pragma once

#include <span>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// Samples may come from a file, and sorting a NaN is undefined: throws Error unless all are finite.
[[nodiscard]] std::vector<Seconds> sorted(std::span<const Seconds> times);

// Linear interpolation between the neighbours (Hyndman and Fan's type 7, the default of R and
// NumPy). `fraction` in [0, 1]; `ascending` is sorted and not empty.
[[nodiscard]] Seconds quantile_of_sorted(std::span<const Seconds> ascending, double fraction);

// Throws Error on an empty span.
[[nodiscard]] Seconds median(std::span<const Seconds> times);

}  // namespace ridgeline
