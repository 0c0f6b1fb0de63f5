#include "report/figure.h"

#include <algorithm>

namespace ridgeline {

namespace {

std::optional<ValueRange> stacked_range(const Panel& panel) {
  if (panel.series.empty() || panel.series.front().points.empty()) return std::nullopt;
  ValueRange range;
  for (std::size_t i = 0; i < panel.series.front().points.size(); ++i) {
    double sum = 0;
    for (const auto& series : panel.series) sum += series.points.at(i).y;
    range.high = std::max(range.high, sum);
  }
  return range;
}

}  // namespace

std::optional<ValueRange> y_range(const Panel& panel) {
  if (panel.mark == Mark::Area) return stacked_range(panel);
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
