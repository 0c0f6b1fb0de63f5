#include "report/figure.h"

#include <algorithm>

namespace ridgeline {

std::optional<ValueRange> y_range(const Panel& panel) {
  std::optional<ValueRange> range;
  for (const auto& series : panel.series) {
    for (const auto& point : series.points) {
      const double low = std::min(point.y, point.low.value_or(point.y));
      const double high = std::max(point.y, point.high.value_or(point.y));
      if (!range) range = ValueRange{low, high};
      range->low = std::min(range->low, low);
      range->high = std::max(range->high, high);
    }
  }
  return range;
}

}  // namespace ridgeline
