#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ridgeline {

// What a peak was measured on. A change of any of these asks for a new measurement.
struct PeakKey {
  std::string machine;  // name of the device
  std::string dtype;    // "fp32", "bf16", ...; "copy" for bandwidth
  int threads = 0;
  std::string torch;
  [[nodiscard]] std::string text() const;
};

// Peaks measured on this machine, kept between runs: FLOP/s for matrix products, bytes/s for
// copies. A damaged file is as good as none.
class PeakCache {
 public:
  explicit PeakCache(std::filesystem::path file) : file_(std::move(file)) {}
  [[nodiscard]] std::optional<double> find(const PeakKey& key) const;
  // Keeps what is there; written whole or not at all.
  void store(const PeakKey& key, double per_second) const;

 private:
  std::filesystem::path file_;
};

// $RIDGELINE_CACHE/peaks.json, by default in ~/.cache/ridgeline; absent without a home.
[[nodiscard]] std::optional<std::filesystem::path> default_peak_file();

}  // namespace ridgeline
