#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/peak_cache.h"

namespace ridgeline {

// The peaks of a machine that are known already: what the cache has of steady ones, and what this
// process measured, however restless: all rows of a run stand against one peak.
class KnownPeaks {
 public:
  explicit KnownPeaks(PeakKey machine);

  [[nodiscard]] std::optional<MeasuredPeak> find(const MeasuredPeak& what) const;
  // All that the machine was once asked for.
  [[nodiscard]] std::optional<std::vector<MeasuredPeak>> find_all() const;

  // Throws Error(Io) where the cache cannot be written.
  void keep(const std::vector<MeasuredPeak>& measured) const;
  // The same; from now on `all` is what find_all() gives, if all of it is steady.
  void keep_all(const std::vector<MeasuredPeak>& measured,
                const std::vector<MeasuredPeak>& all) const;

 private:
  [[nodiscard]] PeakKey key_of(const MeasuredPeak& what) const;

  PeakKey machine_;
  std::optional<PeakCache> cache_{};  // absent without a home
};

}  // namespace ridgeline
