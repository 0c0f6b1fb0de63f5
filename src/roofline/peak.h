#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "roofline/ceilings.h"

namespace ridgeline {

// A ceiling that was measured: a rate with its interval, and what it was reached with.
struct MeasuredPeak {
  std::string name{};                  // "bf16", "fp32 AVX2", "DRAM read", "copy"
  bool is_bandwidth = false;           // bytes a second; else FLOPs
  std::optional<ComputePath> path{};   // the roof it is; a host link is none
  std::optional<MemoryLevel> level{};  // the same of a bandwidth
  int threads = 0;                     // of a CPU; 0 of other devices
  double per_second{};                 // median
  std::optional<double> low{};         // its interval, 95 %; absent in caches of old
  std::optional<double> high{};
  std::size_t samples{};
  bool shared = false;   // its threads had to share their cores in most rounds
  bool too_low = false;  // a product that is_too_low()
  std::string at{};      // "8192 × 8192 × 8192", "24 KiB a thread"
};

// The width of the interval against the median; absent without one.
[[nodiscard]] std::optional<double> spread_of(const MeasuredPeak& peak);
// A wider spread says that the machine did something else meanwhile: such a peak is shown, with a
// note, and never kept. Nor is one whose threads shared their cores, or that is too low: threads
// that wait for each other on one core wait for the scheduler's clock, and that is steady.
inline constexpr double kWidestSpread = 0.10;
[[nodiscard]] bool is_steady(const MeasuredPeak& peak);
// A matrix product's name is its format's alone: "bf16"; FMA's says in what: "fp32 AVX2".
[[nodiscard]] bool is_product(const MeasuredPeak& peak);
// Whether a CPU's matrix product is far below what plain FMA in its format (or in fp32, where
// there is none in it) does on one thread: among `peaks`.
[[nodiscard]] bool is_too_low(const MeasuredPeak& product, std::span<const MeasuredPeak> peaks);

// The best of those that were measured with `threads` (0: the most there are), path by path and
// level by level; a product that is too low is none.
[[nodiscard]] Ceilings ceilings_of_peaks(std::span<const MeasuredPeak> peaks,
                                         const std::string& machine, int threads);

[[nodiscard]] nlohmann::json to_json(const MeasuredPeak& peak);
// Absent when it is none: names and types are checked, rates are finite and above zero.
[[nodiscard]] std::optional<MeasuredPeak> parse_peak(const nlohmann::json& json);

// "178.8 GFLOP/s", "4.31 TB/s"
[[nodiscard]] std::string rate_text(double per_second, bool is_bandwidth);

}  // namespace ridgeline
