#include "stats/percentile.h"

#include "stats/order.h"
#include "stats/order_interval.h"

namespace ridgeline {

std::optional<Percentile> percentile(std::span<const Seconds> times, double p, double confidence) {
  const auto ascending = sorted(times);
  const auto interval =
      interval_of_sorted(ascending, {.quantile = p / 100, .confidence = confidence});
  if (!interval) return std::nullopt;
  return Percentile{.p = p, .value = quantile_of_sorted(ascending, p / 100), .interval = *interval};
}

std::size_t samples_for_percentile(double p, double confidence) {
  return samples_for_interval({.quantile = p / 100, .confidence = confidence});
}

}  // namespace ridgeline
