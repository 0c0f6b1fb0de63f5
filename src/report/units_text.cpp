#include "report/units_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgeline {

namespace {

// At least two decimals, and three significant digits below that: 152.30, 0.0123.
std::string fixed_digits(double value) {
  const double size = std::abs(value);
  if (size == 0 || size >= 0.995 || !std::isfinite(size)) return fmt::format("{:.2f}", value);
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, std::min(decimals, 12));
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

std::string milliseconds_text(double seconds) { return fixed_digits(seconds * 1e3); }

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return fmt::format("{}", per_second);
  if (std::abs(per_second) >= 100) return grouped(per_second);
  return std::abs(per_second) >= 10 ? fmt::format("{:.1f}", per_second) : fixed_digits(per_second);
}

std::string percent_text(double percent) { return fmt::format("{:.2f}", percent); }

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
