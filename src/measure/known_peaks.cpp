#include "measure/known_peaks.h"

#include <algorithm>
#include <map>

namespace ridgeline {
namespace {

std::map<std::string, MeasuredPeak>& peaks_of_this_run() {
  static std::map<std::string, MeasuredPeak> peaks;
  return peaks;
}

}  // namespace

KnownPeaks::KnownPeaks(PeakKey machine) : machine_(std::move(machine)) {
  if (const auto file = default_peak_file()) cache_.emplace(*file);
}

PeakKey KnownPeaks::key_of(const MeasuredPeak& what) const {
  PeakKey key = machine_;
  key.dtype = what.name;
  key.threads = what.threads;
  return key;
}

std::optional<MeasuredPeak> KnownPeaks::find(const MeasuredPeak& what) const {
  const PeakKey key = key_of(what);
  // Numbers of old have no interval: nobody knows how busy the machine was.
  if (auto kept = cache_ ? cache_->find(key) : std::nullopt; kept && is_steady(*kept)) return kept;
  const auto found = peaks_of_this_run().find(key.text());
  return found != peaks_of_this_run().end() ? std::optional(found->second) : std::nullopt;
}

std::optional<std::vector<MeasuredPeak>> KnownPeaks::find_all() const {
  return cache_ ? cache_->find_set(machine_) : std::nullopt;
}

void KnownPeaks::keep(const std::vector<MeasuredPeak>& measured) const {
  for (const MeasuredPeak& peak : measured) peaks_of_this_run()[key_of(peak).text()] = peak;
  if (cache_ && !measured.empty()) cache_->store(machine_, measured);
}

void KnownPeaks::keep_all(const std::vector<MeasuredPeak>& measured,
                          const std::vector<MeasuredPeak>& all) const {
  keep(measured);
  if (cache_ && !all.empty() && std::ranges::all_of(all, is_steady))
    cache_->store_set(machine_, all);
}

}  // namespace ridgeline
