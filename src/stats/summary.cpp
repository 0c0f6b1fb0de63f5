#include "stats/summary.h"

#include <cmath>
#include <numeric>

#include "core/error.h"
#include "stats/order.h"
#include "stats/order_interval.h"

namespace ridgeline {
namespace {

// Two passes: sum of squares minus squared mean cancels when the spread is small beside the mean,
// as step times are.
std::optional<Seconds> standard_deviation(std::span<const Seconds> times, Seconds mean) {
  if (times.size() < 2) return std::nullopt;
  double squares = 0;
  for (const Seconds t : times) squares += std::pow((t - mean).count(), 2);
  return Seconds{std::sqrt(squares / static_cast<double>(times.size() - 1))};
}

}  // namespace

Summary summarise(std::span<const Seconds> times) {
  if (times.empty()) throw bad_input("no samples: a summary needs at least one");
  const auto ascending = sorted(times);
  const Seconds mean = std::accumulate(ascending.begin(), ascending.end(), Seconds{0}) /
                       static_cast<double>(ascending.size());
  const auto deviation = standard_deviation(ascending, mean);
  std::optional<double> cv_percent;
  if (deviation && mean > Seconds{0}) cv_percent = 100 * (*deviation / mean);
  return {
      .count = ascending.size(),
      .mean = mean,
      .median = quantile_of_sorted(ascending, 0.5),
      .fastest = ascending.front(),
      .slowest = ascending.back(),
      .deviation = deviation,
      .cv_percent = cv_percent,
      .median_interval = interval_of_sorted(ascending, {.quantile = 0.5}),
  };
}

}  // namespace ridgeline
