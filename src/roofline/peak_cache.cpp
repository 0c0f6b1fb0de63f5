#include "roofline/peak_cache.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/cache_folder.h"
#include "core/error.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr Bytes kLargestFile{1e6};

json read_peaks(const std::filesystem::path& file) {
  try {
    json peaks = json::parse(read_file(file, kLargestFile), nullptr, /*allow_exceptions=*/false);
    return peaks.is_object() ? peaks : json::object();
  } catch (const Error&) {
    return json::object();
  }
}

PeakKey key_of(PeakKey key, const MeasuredPeak& peak) {
  key.dtype = peak.name;
  key.threads = peak.threads;
  return key;
}

// Of a number alone nothing else is known.
std::optional<MeasuredPeak> peak_in(const json& peaks, const PeakKey& key) {
  const auto entry = peaks.find(key.text());
  if (entry == peaks.end()) return std::nullopt;
  if (!entry->is_number()) return parse_peak(*entry);
  const double rate = *entry;
  if (!std::isfinite(rate) || !(rate > 0)) return std::nullopt;
  return MeasuredPeak{.name = key.dtype,
                      .is_bandwidth = key.dtype == "copy",
                      .threads = key.threads,
                      .per_second = rate};
}

void put(json& file, const PeakKey& key, std::span<const MeasuredPeak> peaks) {
  for (const MeasuredPeak& peak : peaks) {
    const std::string name = key_of(key, peak).text();
    if (is_steady(peak)) {
      file[name] = to_json(peak);
    } else {
      file.erase(name);
    }
  }
}

// The list of a set stands under a name that no peak has.
PeakKey list_key(PeakKey key) {
  key.dtype = "all peaks";
  return key;
}

}  // namespace

std::string PeakKey::text() const {
  const std::string of_cores = cores > 0 ? fmt::format(" of {} cores", cores) : "";
  return fmt::format("{} | {} | {} threads{} | torch {}{}", machine, dtype, threads, of_cores,
                     torch, driver.empty() ? "" : " | driver " + driver);
}

std::optional<MeasuredPeak> PeakCache::find(const PeakKey& key) const {
  return peak_in(read_peaks(file_), key);
}

void PeakCache::store(const PeakKey& key, std::span<const MeasuredPeak> peaks) const {
  json file = read_peaks(file_);
  put(file, key, peaks);
  write_file_atomically(file_, file.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

std::optional<std::vector<MeasuredPeak>> PeakCache::find_set(const PeakKey& key) const {
  const json file = read_peaks(file_);
  const auto list = file.find(list_key(key).text());
  if (list == file.end() || !list->is_array() || list->empty()) return std::nullopt;
  std::vector<MeasuredPeak> peaks;
  for (const json& item : *list) {
    const auto name = item.is_object() ? item.find("name") : item.end();
    const auto threads = item.is_object() ? item.find("threads") : item.end();
    if (name == item.end() || threads == item.end()) return std::nullopt;
    if (!name->is_string() || !threads->is_number_unsigned()) return std::nullopt;
    PeakKey one = key;
    one.dtype = name->get<std::string>();
    one.threads = threads->get<int>();
    auto peak = peak_in(file, one);
    if (!peak) return std::nullopt;
    peaks.push_back(std::move(*peak));
  }
  return peaks;
}

void PeakCache::store_set(const PeakKey& key, std::span<const MeasuredPeak> peaks) const {
  json file = read_peaks(file_);
  put(file, key, peaks);
  json list = json::array();
  for (const MeasuredPeak& peak : peaks)
    list.push_back({{"name", peak.name}, {"threads", peak.threads}});
  file[list_key(key).text()] = std::move(list);
  write_file_atomically(file_, file.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

std::optional<std::filesystem::path> default_peak_file() {
  const auto folder = cache_folder();
  return folder ? std::optional(*folder / "peaks.json") : std::nullopt;
}

}  // namespace ridgeline
