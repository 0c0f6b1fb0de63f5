#include "report/units_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ridgeline {

namespace {

// Two decimals, and as many as three significant digits take below one: 152.30, 0.0123.
int decimals_for(double value) {
  const double size = std::abs(value);
  if (size == 0 || size >= 0.995 || !std::isfinite(size)) return 2;
  return std::min(2 - static_cast<int>(std::floor(std::log10(size))), 12);
}

std::string fixed_digits(double value) {
  return fmt::format("{:.{}f}", value, decimals_for(value));
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace

std::string milliseconds_text(double seconds) { return fixed_digits(seconds * 1e3); }

std::string milliseconds_spread(double mean_s, std::optional<double> deviation_s) {
  const int decimals = decimals_for(mean_s * 1e3);
  const std::string mean = fmt::format("{:.{}f}", mean_s * 1e3, decimals);
  return deviation_s ? fmt::format("{} ± {:.{}f}", mean, *deviation_s * 1e3, decimals) : mean;
}

std::string milliseconds_interval(double median_s, double low_s, double high_s) {
  const int decimals = decimals_for(median_s * 1e3);
  return fmt::format("{0:.{3}f} ({1:.{3}f}–{2:.{3}f})", median_s * 1e3, low_s * 1e3, high_s * 1e3,
                     decimals);
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return fmt::format("{}", per_second);
  if (std::abs(per_second) >= 100) return grouped(per_second);
  return std::abs(per_second) >= 10 ? fmt::format("{:.1f}", per_second) : fixed_digits(per_second);
}

std::string percent_text(double percent) { return fmt::format("{:.2f}", percent); }

std::string flop_text(double count) {
  constexpr std::array kPrefixes{" k", " M", " G", " T", " P", " E"};
  if (!(count >= 999.5)) return fmt::format("{:.4g}", count);
  std::size_t step = 0;
  count /= 1000;
  // As it is printed, so that there never is "1000.0 M".
  for (; step + 1 < kPrefixes.size() && count >= 999.95; ++step) count /= 1000;
  return fmt::format("{:.{}f}{}", count, count < 9.995 ? 2 : 1, kPrefixes[step]);
}

Scale time_scale(double largest_s) {
  if (largest_s >= 10) return {1, "s"};
  if (largest_s >= 1e-3) return {1e3, "ms"};
  return {1e6, "µs"};
}

Scale count_scale(double largest) {
  if (largest >= 1e10) return {1e-9, "billion"};
  if (largest >= 1e7) return {1e-6, "million"};
  if (largest >= 1e4) return {1e-3, "thousand"};
  return {1, ""};
}

}  // namespace ridgeline
