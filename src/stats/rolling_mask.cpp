#include "stats/rolling_mask.h"

#include <algorithm>

#include "core/error.h"
#include "stats/order.h"

namespace ridgeline {
namespace {

// The neighbours of a moving centre, kept in order: shifting by one costs one insertion and one
// removal in a short array.
class SortedWindow {
 public:
  void add(Seconds time) { ordered_.insert(std::ranges::upper_bound(ordered_, time), time); }
  void remove(Seconds time) { ordered_.erase(std::ranges::lower_bound(ordered_, time)); }

  [[nodiscard]] bool holds_near(Seconds time, const RollingMaskOptions& options) const {
    const Seconds spread = quantile_of_sorted(ordered_, 0.9) - quantile_of_sorted(ordered_, 0.1);
    const Seconds reach = std::max(options.spreads * spread, options.resolution);
    const Seconds middle = quantile_of_sorted(ordered_, 0.5);
    return time >= middle - reach && time <= middle + reach;
  }

 private:
  std::vector<Seconds> ordered_;
};

}  // namespace

std::vector<bool> rolling_mask(std::span<const Seconds> times, const RollingMaskOptions& options) {
  RIDGELINE_CHECK(options.window >= 2);
  const std::size_t half = options.window / 2;
  std::vector<bool> masked(times.size());
  SortedWindow window;
  for (std::size_t i = 0; i < std::min(half, times.size()); ++i) window.add(times[i]);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i + half < times.size()) window.add(times[i + half]);
    if (i > half) window.remove(times[i - half - 1]);
    masked[i] = !window.holds_near(times[i], options);
  }
  for (std::size_t i = 0; i < masked.size() && masked[i]; ++i) masked[i] = false;
  return masked;
}

}  // namespace ridgeline
