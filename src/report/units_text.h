#pragma once

#include <optional>
#include <string>

namespace ridgeline {

// Numbers for tables and axes, where the unit stands in the heading (core/format.h writes both).
// The files for programs (CSV, JSON) never use these.
[[nodiscard]] std::string milliseconds_text(double seconds);  // 152.30, without the unit
// 152.30 ± 8.45: the deviation has the decimals of the mean.
[[nodiscard]] std::string milliseconds_spread(double mean_s, std::optional<double> deviation_s);
// 152.30 (150.10–154.00)
[[nodiscard]] std::string milliseconds_interval(double median_s, double low_s, double high_s);
[[nodiscard]] std::string rate_text(double per_second);  // 1,234 or 12.3
[[nodiscard]] std::string percent_text(double percent);  // 5.55
[[nodiscard]] std::string flop_text(double count);       // 592.2 M, 1.15 G: FLOPs or FLOP/s

// One unit for all values of an axis or column, chosen by the largest.
struct Scale {
  double factor;  // multiply by this
  std::string unit;
};
[[nodiscard]] Scale time_scale(double largest_s);
[[nodiscard]] Scale count_scale(double largest);  // "", "thousand", "million", "billion"

}  // namespace ridgeline
