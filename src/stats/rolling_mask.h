#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.h"

namespace ridgeline {

struct RollingMaskOptions {
  std::size_t window = 200;  // samples, centred, cut short at either end of the series
  double spreads = 3;        // how many (P90 - P10) from the median a sample may lie
  Seconds resolution{0};     // of the timer: a difference of one tick is no outlier
};

// True where a sample stands out from its neighbours in time: a lone interruption, not a change of
// level. An unbroken run of such samples from the very first one is left unmasked: that is what a
// short warm-up looks like, and masking it would hide the thing sought.
[[nodiscard]] std::vector<bool> rolling_mask(std::span<const Seconds> times,
                                             const RollingMaskOptions& options = {});

}  // namespace ridgeline
