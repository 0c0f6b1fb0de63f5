#include "stats/steady_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/change_points.h"
#include "stats/order.h"
#include "stats/rolling_mask.h"

namespace ridgeline {
namespace {

// Spreads under this fraction of the level are taken as this: far below the 1 % at which levels are
// told apart, and far above rounding.
constexpr double kSmallestSpread = 1e-4;

// The samples that were not masked, and where each stood.
struct Kept {
  std::vector<Seconds> times;
  std::vector<std::size_t> places;
};

Kept keep_unmasked(std::span<const Seconds> times, Seconds resolution) {
  const auto masked = rolling_mask(times, {.resolution = resolution});
  Kept kept;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (masked[i]) continue;
    kept.times.push_back(times[i]);
    kept.places.push_back(i);
  }
  return kept;
}

// A stretch of the kept samples.
struct Stretch {
  std::size_t begin, end;
  Seconds total;

  [[nodiscard]] Seconds mean() const { return total / static_cast<double>(end - begin); }
};

std::vector<Stretch> split_at_changes(const std::vector<Seconds>& times, Seconds resolution) {
  // Relative to the median: the cost's floor is then a fraction, whatever the scale of the times.
  const Seconds middle = median(times);
  const Seconds scale = middle > Seconds{0} ? middle : Seconds{1};
  std::vector<double> relative(times.size());
  std::ranges::transform(times, relative.begin(), [&](Seconds t) { return t / scale; });
  // A timer that ticks in steps of r adds a variance of r^2 / 12.
  const double tick = resolution / scale;
  const double floor = std::max(kSmallestSpread * kSmallestSpread, tick * tick / 12);
  auto bounds = find_change_points(relative, {.variance_floor = floor});
  bounds.push_back(times.size());
  std::vector<Stretch> stretches;
  std::size_t begin = 0;
  for (const std::size_t end : bounds) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(end);
    stretches.push_back({begin, end, std::accumulate(first, last, Seconds{0})});
    begin = end;
  }
  return stretches;
}

// How far apart two levels are, as a multiple of what still counts as one level.
double apartness(Seconds a, Seconds b, const SteadyStateOptions& options) {
  const Seconds tolerance =
      std::max(options.merge_fraction * std::min(a, b), options.timer_resolution);
  const Seconds gap = a > b ? a - b : b - a;
  if (gap == Seconds{0}) return 0;
  return tolerance > Seconds{0} ? gap / tolerance : HUGE_VAL;
}

// The nearest neighbours first, so that the outcome does not depend on the direction of reading.
void merge_equal_levels(std::vector<Stretch>& stretches, const SteadyStateOptions& options) {
  while (stretches.size() > 1) {
    std::size_t nearest = 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
      const double apart = apartness(stretches[i].mean(), stretches[i + 1].mean(), options);
      if (apart >= least) continue;
      least = apart;
      nearest = i;
    }
    if (least > 1) return;
    stretches[nearest].end = stretches[nearest + 1].end;
    stretches[nearest].total += stretches[nearest + 1].total;
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  }
}

std::vector<Segment> to_segments(const std::vector<Stretch>& stretches, const Kept& kept,
                                 std::size_t count) {
  std::vector<Segment> segments;
  for (const Stretch& stretch : stretches) {
    const Seconds mean = stretch.mean();
    double squares = 0;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      squares += std::pow((kept.times[i] - mean).count(), 2);
    }
    const auto freedom =
        static_cast<double>(std::max<std::size_t>(1, stretch.end - stretch.begin - 1));
    const bool is_last = stretch.end == kept.times.size();
    segments.push_back({.begin = segments.empty() ? 0 : segments.back().end,
                        .end = is_last ? count : kept.places[stretch.end],
                        .level = mean,
                        .deviation = Seconds{std::sqrt(squares / freedom)}});
  }
  return segments;
}

SteadyState::Kind classify(const std::vector<Segment>& segments,
                           const SteadyStateOptions& options) {
  const Segment& last = segments.back();
  if (last.end - last.begin < options.min_iterations) return SteadyState::Kind::NoSteadyState;
  if (segments.size() == 1) return SteadyState::Kind::Flat;
  const bool was_faster = std::ranges::any_of(segments, [&](const Segment& segment) {
    return segment.level < last.level && apartness(segment.level, last.level, options) > 1;
  });
  return was_faster ? SteadyState::Kind::Slowdown : SteadyState::Kind::Warmup;
}

}  // namespace

SteadyState find_steady_state(std::span<const Seconds> times, const SteadyStateOptions& options) {
  if (times.empty()) return {};
  const Seconds middle = median(times);  // also refuses samples that are not finite
  if (times.size() < options.min_iterations) {
    return {.kind = SteadyState::Kind::TooFew, .from = times.size(), .level = middle};
  }
  const Kept kept = keep_unmasked(times, options.timer_resolution);
  auto stretches = split_at_changes(kept.times, options.timer_resolution);
  merge_equal_levels(stretches, options);
  SteadyState found{.segments = to_segments(stretches, kept, times.size())};
  found.kind = classify(found.segments, options);
  found.from = found.is_steady() ? found.segments.back().begin : times.size();
  found.level = found.segments.back().level;
  return found;
}

}  // namespace ridgeline
