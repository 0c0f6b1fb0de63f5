#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "stats/ab.h"

namespace ridgeline {

// What it costs a step to be profiled.
struct ProfileCost {
  std::vector<Seconds> without{};
  std::vector<Seconds> with{};
  double ratio = 1;  // with over without, median of the pairs
  std::optional<RatioInterval> interval{};
  // Steps without it had it paused but still there: a device's, beside a captured graph or in
  // somebody else's program, cannot go away, and costs a few per cent of a short step all the time.
  bool beside_paused = false;
  std::optional<Seconds> before{};  // a step before it came, where that was measured
};

// The ratio of the pairs and its interval; at least one pair.
[[nodiscard]] ProfileCost cost_of(std::vector<Seconds> without, std::vector<Seconds> with);

// "Profiling cost 1.010x (from 1.000x to 1.020x, 95 %): 152.3 ms a step with it, 151.0 ms without."
[[nodiscard]] std::string sentence(const ProfileCost& cost, std::string_view what = "Profiling");

}  // namespace ridgeline
