#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/units.h"
#include "stats/interval.h"

namespace ridgeline {

// Which quantile, and how sure. Both strictly between 0 and 1, or Error is thrown.
struct QuantileTarget {
  double quantile = 0.5;
  double confidence = kDefaultConfidence;
};

// Ranks from 1: the interval runs from the low-th to the high-th smallest sample.
struct RankRange {
  std::size_t low{};
  std::size_t high{};
};

// The exact sign-test interval: the number of samples below the true quantile is binomial, whatever
// the distribution, so two ranks bound it with at least the confidence asked for, at most half of
// the error on either side. Absent when even the extreme samples do not: then a bound would be a
// guess. Samples must be independent; for samples that come in clusters give one value a cluster.
[[nodiscard]] std::optional<RankRange> quantile_ranks(std::size_t count,
                                                      const QuantileTarget& target);

// The fewest samples for which quantile_ranks answers.
[[nodiscard]] std::size_t samples_for_interval(const QuantileTarget& target);

[[nodiscard]] std::optional<Interval> quantile_interval(std::span<const Seconds> times,
                                                        const QuantileTarget& target);
[[nodiscard]] std::optional<Interval> median_interval(std::span<const Seconds> times,
                                                      double confidence = kDefaultConfidence);
// The same for samples already in ascending order.
[[nodiscard]] std::optional<Interval> interval_of_sorted(std::span<const Seconds> ascending,
                                                         const QuantileTarget& target);

// Percentile bootstrap over epochs: samples within an epoch share the machine's mood, so an epoch
// enters as one value (its median), drawn with replacement. Absent where the exact interval is.
[[nodiscard]] std::optional<Interval> bootstrap_median_interval(
    std::span<const Seconds> epoch_medians, std::uint64_t seed, std::size_t resamples = 2000,
    double confidence = kDefaultConfidence);

}  // namespace ridgeline
