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

}  // namespace

std::string PeakKey::text() const {
  return fmt::format("{} | {} | {} threads | torch {}", machine, dtype, threads, torch);
}

std::optional<double> PeakCache::find(const PeakKey& key) const {
  const json peaks = read_peaks(file_);
  const auto entry = peaks.find(key.text());
  if (entry == peaks.end() || !entry->is_number()) return std::nullopt;
  const double value = *entry;
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

void PeakCache::store(const PeakKey& key, double per_second) const {
  json peaks = read_peaks(file_);
  peaks[key.text()] = per_second;
  write_file_atomically(file_, peaks.dump(2) + "\n");
}

std::optional<std::filesystem::path> default_peak_file() {
  const auto folder = cache_folder();
  return folder ? std::optional(*folder / "peaks.json") : std::nullopt;
}

}  // namespace ridgeline
