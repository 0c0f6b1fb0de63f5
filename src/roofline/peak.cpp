#include "roofline/peak.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using nlohmann::json;

std::optional<double> rate_at(const json& object, const char* key) {
  const auto entry = object.find(key);
  if (entry == object.end() || !entry->is_number()) return std::nullopt;
  const double value = *entry;
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::string text_in(const json& object, const char* key) {
  const auto entry = object.find(key);
  return entry != object.end() && entry->is_string() ? entry->get<std::string>() : std::string();
}

std::optional<PeakInterval> interval_of(const MeasuredPeak& peak) {
  if (!peak.low || !peak.high) return std::nullopt;
  return PeakInterval{.low = *peak.low, .high = *peak.high, .steady = is_steady(peak)};
}

int most_threads(std::span<const MeasuredPeak> peaks) {
  int most = 0;
  for (const MeasuredPeak& peak : peaks) most = std::max(most, peak.threads);
  return most;
}

}  // namespace

std::optional<double> spread_of(const MeasuredPeak& peak) {
  if (!peak.low || !peak.high || !(peak.per_second > 0)) return std::nullopt;
  return (*peak.high - *peak.low) / peak.per_second;
}

bool is_steady(const MeasuredPeak& peak) {
  const auto spread = spread_of(peak);
  return spread && *spread <= kWidestSpread && !peak.shared && !peak.too_low;
}

bool is_product(const MeasuredPeak& peak) {
  return peak.path && peak.name.find(' ') == std::string::npos;
}

bool is_too_low(const MeasuredPeak& product, std::span<const MeasuredPeak> peaks) {
  // A library's product on more threads is no slower than this, short of emulation.
  constexpr double kLeastOfFma = 0.2;
  if (!is_product(product) || product.threads == 0) return false;
  // However restless: a busy moment makes FMA slower, never faster than it is.
  const auto fastest = [&](ComputePath path) {
    double rate = 0;
    for (const MeasuredPeak& peak : peaks) {
      if (peak.path == path && peak.threads == 1 && !is_product(peak))
        rate = std::max(rate, peak.per_second);
    }
    return rate;
  };
  const double own = fastest(*product.path);
  return product.per_second < kLeastOfFma * (own > 0 ? own : fastest(ComputePath::Fp32));
}

Ceilings ceilings_of_peaks(std::span<const MeasuredPeak> peaks, const std::string& machine,
                           int threads) {
  const int wanted = threads > 0 ? threads : most_threads(peaks);
  Ceilings ceilings{.machine = machine, .source = "measured here"};
  for (const MeasuredPeak& peak : peaks) {
    if ((peak.threads != 0 && peak.threads != wanted) || peak.too_low) continue;
    const auto interval = interval_of(peak);
    if (peak.path) {
      const auto best = ceilings.of(*peak.path);
      if (best && best->value >= peak.per_second) continue;
      ceilings.set(*peak.path, FlopPerSecond{peak.per_second});
      ceilings.compute_interval[index_of(*peak.path)] = interval;
    } else if (peak.level) {
      const auto best = ceilings.of(*peak.level);
      if (best && best->value >= peak.per_second) continue;
      ceilings.set(*peak.level, BytesPerSecond{peak.per_second});
      ceilings.bandwidth_interval[index_of(*peak.level)] = interval;
    }
  }
  if (!restless_peaks(ceilings).empty()) ceilings.source += " on a busy machine";
  return ceilings;
}

json to_json(const MeasuredPeak& peak) {
  json object{{"name", peak.name},
              {peak.is_bandwidth ? "bytes_per_s" : "flop_per_s", peak.per_second},
              {"samples", peak.samples},
              {"threads", peak.threads},
              {"reached_with", peak.at}};
  if (peak.path) object["path"] = name_of(*peak.path);
  if (peak.level) object["level"] = name_of(*peak.level);
  if (peak.shared) object["shared_cores"] = true;
  if (peak.too_low) object["too_low"] = true;
  if (peak.low) object["low_per_s"] = *peak.low;
  if (peak.high) object["high_per_s"] = *peak.high;
  return object;
}

std::optional<MeasuredPeak> parse_peak(const json& object) {
  constexpr int kMostThreads = 1 << 20;
  if (!object.is_object()) return std::nullopt;
  MeasuredPeak peak{.name = text_in(object, "name"), .at = text_in(object, "reached_with")};
  const auto bytes = rate_at(object, "bytes_per_s");
  const auto rate = bytes ? bytes : rate_at(object, "flop_per_s");
  if (peak.name.empty() || !rate) return std::nullopt;
  peak.is_bandwidth = bytes.has_value();
  peak.per_second = *rate;
  peak.low = rate_at(object, "low_per_s");
  peak.high = rate_at(object, "high_per_s");
  if (object.contains("path")) {
    peak.path = compute_path(text_in(object, "path"));
    if (!peak.path) return std::nullopt;
  }
  if (object.contains("level")) {
    peak.level = memory_level(text_in(object, "level"));
    if (!peak.level) return std::nullopt;
  }
  const auto is_set = [&](const char* key) {
    const auto entry = object.find(key);
    return entry != object.end() && entry->is_boolean() && entry->get<bool>();
  };
  peak.shared = is_set("shared_cores");
  peak.too_low = is_set("too_low");
  const auto count = [&](const char* key) -> std::int64_t {
    const auto entry = object.find(key);
    return entry != object.end() && entry->is_number_integer() ? entry->get<std::int64_t>() : 0;
  };
  peak.samples = static_cast<std::size_t>(std::max<std::int64_t>(count("samples"), 0));
  peak.threads = static_cast<int>(std::clamp<std::int64_t>(count("threads"), 0, kMostThreads));
  return peak;
}

std::string rate_text(double per_second, bool is_bandwidth) {
  const char* const unit = is_bandwidth ? "B/s" : "FLOP/s";
  if (per_second >= 1e12) return fmt::format("{:.4g} T{}", per_second / 1e12, unit);
  if (per_second >= 1e9) return fmt::format("{:.4g} G{}", per_second / 1e9, unit);
  return fmt::format("{:.4g} M{}", per_second / 1e6, unit);
}

}  // namespace ridgeline
