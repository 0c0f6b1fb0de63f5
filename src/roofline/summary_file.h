#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/ncu_points.h"

namespace ridgeline {

// What stands as the input of a run that counted nothing.
inline constexpr std::string_view kFromShapes = "shapes and the profiler's times";

// The totals of a profiled step as a short text that people and scripts read: "name : value" lines
// under three headings. A number that is not known is "nan" in the file and absent here.
struct RooflineSummary {
  std::string label{};
  std::string input{};
  std::optional<double> fadd{};
  std::optional<double> fmul{};
  std::optional<double> ffma{};
  double flop{};
  std::optional<double> bytes_read{};
  std::optional<double> bytes_written{};
  double bytes{};
  double seconds{};
  double gflop_per_s{};
  double gb_per_s{};
  double flop_per_byte{};
  std::optional<double> sm_percent{};
  std::optional<double> dram_percent{};
};

// Throws Error(BadInput) when the kernels together moved no DRAM bytes: there is no intensity then.
[[nodiscard]] RooflineSummary summary_of(const NcuPoints& points, std::string label,
                                         std::string input);

[[nodiscard]] std::string summary_text(const RooflineSummary& summary);

// Reads what summary_text wrote, and the original's files; unknown lines are passed over. Rates
// have more digits than the sums they come from and are the truth. Throws Error(BadInput).
[[nodiscard]] RooflineSummary parse_summary(std::string_view text, const std::string& source);
[[nodiscard]] bool is_summary(std::string_view text);

// The summary as one point. FLOPs are taken as fp32's: the file does not say of which kind.
[[nodiscard]] RooflinePoint point_of(const RooflineSummary& summary);

}  // namespace ridgeline
