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
  return spread && *spread <= kWidestSpread && !peak.shared;
}

Ceilings ceilings_of_peaks(std::span<const MeasuredPeak> peaks, const std::string& machine,
                           int threads) {
  const int wanted = threads > 0 ? threads : most_threads(peaks);
  Ceilings ceilings{.machine = machine, .source = "measured here"};
  for (const MeasuredPeak& peak : peaks) {
    if (peak.threads != 0 && peak.threads != wanted) continue;
    if (peak.path) {
      auto& best = ceilings.compute[index_of(*peak.path)];
      if (!best || best->value < peak.per_second) best = FlopPerSecond{peak.per_second};
    }
    if (peak.level) {
      auto& best = ceilings.bandwidth[index_of(*peak.level)];
      if (!best || best->value < peak.per_second) best = BytesPerSecond{peak.per_second};
    }
  }
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
  const auto shared = object.find("shared_cores");
  peak.shared = shared != object.end() && shared->is_boolean() && shared->get<bool>();
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
