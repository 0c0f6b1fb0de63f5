#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "roofline/peak.h"

namespace ridgeline {

// What a peak was measured on. A change of any of these asks for a new measurement.
struct PeakKey {
  std::string machine{};  // name of the device
  std::string dtype{};    // the peak's name: "fp32", "bf16", "copy", "L2 read", ...
  int threads = 0;
  int cores = 0;  // of a CPU that the process may use; 0 of other devices
  std::string torch{};
  std::string driver{};  // of a GPU; empty on a CPU
  [[nodiscard]] std::string text() const;
};

// Peaks measured on this machine, kept between runs. A damaged file is as good as none. Files of
// old hold bare numbers, which are read as peaks without an interval.
class PeakCache {
 public:
  explicit PeakCache(std::filesystem::path file) : file_(std::move(file)) {}
  [[nodiscard]] std::optional<MeasuredPeak> find(const PeakKey& key) const;
  // Keeps what is steady and forgets what it knew of the others, for they were measured later;
  // written whole or not at all. `key` has the dtype and threads of none: each peak brings its own.
  void store(const PeakKey& key, std::span<const MeasuredPeak> peaks) const;

  // All that a machine was asked for, once all of it was steady: absent while anything is missing.
  [[nodiscard]] std::optional<std::vector<MeasuredPeak>> find_set(const PeakKey& key) const;
  void store_set(const PeakKey& key, std::span<const MeasuredPeak> peaks) const;

 private:
  std::filesystem::path file_;
};

// $RIDGELINE_CACHE/peaks.json, by default in ~/.cache/ridgeline; absent without a home.
[[nodiscard]] std::optional<std::filesystem::path> default_peak_file();

}  // namespace ridgeline
