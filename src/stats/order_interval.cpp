#include "stats/order_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "stats/order.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

void require_valid(const QuantileTarget& target) {
  if (!(target.quantile > 0 && target.quantile < 1)) {
    throw bad_input("a quantile lies strictly between 0 and 1");
  }
  if (!(target.confidence > 0 && target.confidence < 1)) {
    throw bad_input("a confidence lies strictly between 0 and 1");
  }
}

// Largest r with P(X <= r - 1) <= tail for X ~ Binomial(count, p); 0 when there is none.
// The terms are carried as logarithms: (1 - p)^count underflows from about 1,000 samples on.
std::size_t ranks_within_tail(std::size_t count, double p, double tail) {
  const double log_odds = std::log(p) - std::log1p(-p);
  double log_term = static_cast<double>(count) * std::log1p(-p);
  double cumulative = std::exp(log_term);
  std::size_t rank = 0;
  while (rank < count && cumulative <= tail) {
    log_term += std::log(static_cast<double>(count - rank)) -
                std::log(static_cast<double>(rank + 1)) + log_odds;
    cumulative += std::exp(log_term);
    ++rank;
  }
  return rank;
}

}  // namespace

std::optional<RankRange> quantile_ranks(std::size_t count, const QuantileTarget& target) {
  require_valid(target);
  const double tail = (1 - target.confidence) / 2;
  const std::size_t below = ranks_within_tail(count, target.quantile, tail);
  const std::size_t above = ranks_within_tail(count, 1 - target.quantile, tail);
  if (below == 0 || above == 0) return std::nullopt;
  return RankRange{.low = below, .high = count + 1 - above};
}

std::size_t samples_for_interval(const QuantileTarget& target) {
  require_valid(target);
  // The rarer side decides: max(q, 1 - q)^n <= tail.
  const double likelier = std::max(target.quantile, 1 - target.quantile);
  const double tail = (1 - target.confidence) / 2;
  auto count = static_cast<std::size_t>(std::ceil(std::log(tail) / std::log(likelier)));
  // The quotient of logarithms may fall on the wrong side of a whole number.
  while (count > 1 && quantile_ranks(count - 1, target)) --count;
  while (!quantile_ranks(count, target)) ++count;
  return count;
}

std::optional<Interval> interval_of_sorted(std::span<const Seconds> ascending,
                                           const QuantileTarget& target) {
  const auto ranks = quantile_ranks(ascending.size(), target);
  if (!ranks) return std::nullopt;
  return Interval{.low = ascending[ranks->low - 1],
                  .high = ascending[ranks->high - 1],
                  .confidence = target.confidence};
}

std::optional<Interval> quantile_interval(std::span<const Seconds> times,
                                          const QuantileTarget& target) {
  return interval_of_sorted(sorted(times), target);
}

std::optional<Interval> median_interval(std::span<const Seconds> times, double confidence) {
  return quantile_interval(times, {.quantile = 0.5, .confidence = confidence});
}

std::optional<Interval> bootstrap_median_interval(std::span<const Seconds> epoch_medians,
                                                  std::uint64_t seed, std::size_t resamples,
                                                  double confidence) {
  const auto ascending = sorted(epoch_medians);
  const std::size_t count = ascending.size();
  if (!quantile_ranks(count, {.quantile = 0.5, .confidence = confidence})) return std::nullopt;
  if (resamples == 0) throw bad_input("a bootstrap needs at least one resample");
  Random random(seed);
  std::vector<std::size_t> drawn(count);
  std::vector<Seconds> medians;
  medians.reserve(resamples);
  for (std::size_t i = 0; i < resamples; ++i) {
    for (std::size_t& index : drawn) index = static_cast<std::size_t>(random.below(count));
    // The values are in order, so ordering the indices orders the resample.
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::ranges::nth_element(drawn, middle);
    const std::size_t upper = *middle;
    const std::size_t lower = count % 2 == 1 ? upper : *std::max_element(drawn.begin(), middle);
    medians.push_back((ascending[lower] + ascending[upper]) / 2);
  }
  std::ranges::sort(medians);
  const double tail = (1 - confidence) / 2;
  return Interval{.low = quantile_of_sorted(medians, tail),
                  .high = quantile_of_sorted(medians, 1 - tail),
                  .confidence = confidence};
}

}  // namespace ridgeline
