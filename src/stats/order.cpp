#include "stats/order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.h"

namespace ridgeline {

std::vector<Seconds> sorted(std::span<const Seconds> times) {
  std::vector<Seconds> ascending(times.begin(), times.end());
  if (!std::ranges::all_of(ascending, [](Seconds t) { return std::isfinite(t.count()); })) {
    throw bad_input("a sample is not a finite number of seconds");
  }
  std::ranges::sort(ascending);
  return ascending;
}

Seconds quantile_of_sorted(std::span<const Seconds> ascending, double fraction) {
  RIDGELINE_CHECK(!ascending.empty());
  RIDGELINE_CHECK(fraction >= 0 && fraction <= 1);
  const double position = fraction * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double weight = position - static_cast<double>(below);
  return ascending[below] + weight * (ascending[above] - ascending[below]);
}

Seconds median(std::span<const Seconds> times) {
  if (times.empty()) throw bad_input("no samples: a median needs at least one");
  return quantile_of_sorted(sorted(times), 0.5);
}

}  // namespace ridgeline
