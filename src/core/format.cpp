#include "core/format.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ridgeline {
namespace {

// Rounded first, so that 59.9999 s becomes "1m 00s" and never "60 s".
double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

// Not "-" + text: GCC 12 at -O3 warns about an overlap there that cannot be.
std::string negative(std::string_view text) { return fmt::format("-{}", text); }

std::string long_time(double seconds) {
  const double whole = std::round(seconds);
  if (whole < 3600) {
    return fmt::format("{:.0f}m {:02.0f}s", std::floor(whole / 60), std::fmod(whole, 60));
  }
  const double minutes = std::round(seconds / 60);
  return fmt::format("{:.0f}h {:02.0f}m", std::floor(minutes / 60), std::fmod(minutes, 60));
}

std::string positive_time(double seconds) {
  if (seconds == 0) return "0 s";
  if (rounded(seconds * 1e9, 1) < 1000) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (rounded(seconds * 1e6, 1) < 1000) return fmt::format("{:.1f} µs", seconds * 1e6);
  if (rounded(seconds * 1e3, 2) < 1000) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (rounded(seconds, 3) < 60)
    return without_trailing_zeros(fmt::format("{:.3f}", seconds)) + " s";
  return long_time(seconds);
}

std::string positive_count(double count) {
  constexpr std::array kSuffixes{"", "k", "M", "B", "T"};
  std::size_t step = 0;
  while (step + 1 < kSuffixes.size() && rounded(count, 1) >= 1000) {
    count /= 1000;
    ++step;
  }
  if (rounded(count, 1) >= 1000) return fmt::format("{:.2e}", count * 1e12);
  if (step == 0) {
    return count < 1 ? fmt::format("{:.3g}", count)
                     : without_trailing_zeros(fmt::format("{:.{}f}", count, count < 10 ? 2 : 1));
  }
  return fmt::format("{:.{}f}{}", count, rounded(count, 2) < 10 ? 2 : 1, kSuffixes[step]);
}

}  // namespace

std::string format_bytes(Bytes size) {
  if (!std::isfinite(size.count)) return "unknown";
  if (size.count < 0) return negative(format_bytes({-size.count}));
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double count = size.count;
  std::size_t step = 0;
  while (step + 1 < kUnits.size() && rounded(count, 2) >= 1024) {
    count /= 1024;
    ++step;
  }
  return step == 0 ? fmt::format("{:.0f} B", count) : fmt::format("{:.2f} {}", count, kUnits[step]);
}

std::string format_seconds(Seconds time) {
  if (!std::isfinite(time.count())) return "unknown";
  return time.count() < 0 ? negative(positive_time(-time.count())) : positive_time(time.count());
}

std::string format_count(double count) {
  if (!std::isfinite(count)) return "unknown";
  return count < 0 ? negative(positive_count(-count)) : positive_count(count);
}

std::string format_rate(double per_s, std::string_view unit) {
  return fmt::format("{} {}", format_count(per_s), unit);
}

}  // namespace ridgeline
