#include "roofline/summary_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "core/malformed.h"
#include "core/utf8.h"

namespace ridgeline {
namespace {

constexpr std::string_view kLabel = "Label";
constexpr std::string_view kInput = "Input CSV";
constexpr std::size_t kLongestLabel = 200;

double or_nan(std::optional<double> value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string one_line(std::string_view text) {
  return shortened(printable(with_valid_utf8(text.substr(0, 4 * kLongestLabel))), kLongestLabel);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// What follows a number: nothing, or a blank and words. "6,9" and "12abc" are no numbers.
bool is_unit(std::string_view tail) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return tail.empty() ||
         ((tail.front() == ' ' || tail.front() == '\t') && std::ranges::none_of(tail, is_digit));
}

// The numbers of a file by the names in front of the colon.
struct Line {
  std::string_view name;
  std::optional<double> value{};
};

struct SummaryLines {
  std::string label;
  std::string input;
  std::array<Line, 13> numbers{Line{"Total fadd instructions"},
                               Line{"Total fmul instructions"},
                               Line{"Total ffma instructions"},
                               Line{"Total FLOPs"},
                               Line{"Total DRAM bytes read"},
                               Line{"Total DRAM bytes write"},
                               Line{"Total DRAM bytes total"},
                               Line{"Step time (seconds)"},
                               Line{"Achieved GFLOP/s"},
                               Line{"Achieved GB/s"},
                               Line{"Arithmetic intensity"},
                               Line{"SM% pct_of_peak_sustained_elapsed"},
                               Line{"DRAM% pct_of_peak_sustained_elapsed"}};

  void take(std::string_view line, std::size_t offset, const std::string& source) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = trimmed(line.substr(0, colon));
    const std::string_view text = trimmed(line.substr(colon + 1));
    if (name == kLabel) label = one_line(text);
    if (name == kInput) input = one_line(text);
    auto* const known = std::ranges::find(numbers, name, &Line::name);
    if (known == numbers.end()) return;
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || !is_unit({stop, end}))
      throw malformed(source, offset, fmt::format("{} is no number", name));
    if (std::isnan(value)) return;
    if (!std::isfinite(value) || value < 0 || value > kMostOfAnything)
      throw malformed(source, offset, fmt::format("{} is {}", name, value));
    known->value = value;
  }
  [[nodiscard]] double needed(std::size_t i, const std::string& source) const {
    const auto value = numbers[i].value;
    if (!value || !(*value > 0))
      throw malformed(source,
                      fmt::format("its line '{}' is missing or not above zero", numbers[i].name));
    if (*value < 1 / kMostOfAnything)
      throw malformed(source, fmt::format("its line '{}' is {}", numbers[i].name, *value));
    return *value;
  }
};

}  // namespace

RooflineSummary summary_of(const NcuPoints& points, std::string label, std::string input) {
  const RooflinePoint total = total_of(points.points, label);
  RooflineSummary summary{.label = std::move(label), .input = std::move(input)};
  summary.fadd = points.totals.fadd;
  summary.fmul = points.totals.fmul;
  summary.ffma = points.totals.ffma;
  if (points.totals.dram_read) summary.bytes_read = points.totals.dram_read->count;
  if (points.totals.dram_write) summary.bytes_written = points.totals.dram_write->count;
  summary.flop = total.total_flop().count;
  summary.bytes = total.of(MemoryLevel::Dram).value_or(Bytes{}).count;
  summary.seconds = total.time.count();
  if (!(summary.bytes > 0))
    throw malformed(summary.input,
                    "its kernels moved no DRAM bytes at all: no arithmetic intensity");
  summary.gflop_per_s = summary.flop / summary.seconds / 1e9;
  summary.gb_per_s = summary.bytes / summary.seconds / 1e9;
  summary.flop_per_byte = summary.flop / summary.bytes;
  summary.sm_percent = total.sm_percent;
  summary.dram_percent = total.dram_percent;
  return summary;
}

std::string summary_text(const RooflineSummary& summary) {
  std::string text = fmt::format("{}: {}\n{}: {}\n\n", kLabel, one_line(summary.label), kInput,
                                 one_line(summary.input));
  text += "=== Totals (aggregated across all kernels in the profiled step) ===\n";
  const auto count = [&](std::string_view name, double value) {
    text += fmt::format("{:<24}: {:.3e}\n", name, value);
  };
  count("Total fadd instructions", or_nan(summary.fadd));
  count("Total fmul instructions", or_nan(summary.fmul));
  count("Total ffma instructions", or_nan(summary.ffma));
  count("Total FLOPs", summary.flop);
  text += "\n";
  count("Total DRAM bytes read", or_nan(summary.bytes_read));
  count("Total DRAM bytes write", or_nan(summary.bytes_written));
  count("Total DRAM bytes total", summary.bytes);
  text += "\n=== Time and rates ===\n";
  text += fmt::format("{:<24}: {:.6e}\n", "Step time (seconds)", summary.seconds);
  text += fmt::format("{:<24}: {:.3f}\n", "Achieved GFLOP/s", summary.gflop_per_s);
  text += fmt::format("{:<24}: {:.3f}\n", "Achieved GB/s", summary.gb_per_s);
  text += fmt::format("{:<24}: {:.6f} FLOP/byte\n", "Arithmetic intensity", summary.flop_per_byte);
  text += "\n=== Utilization (time-weighted, elapsed) ===\n";
  text += fmt::format("{:<36}: {:.3f}\n", "SM% pct_of_peak_sustained_elapsed",
                      or_nan(summary.sm_percent));
  text += fmt::format("{:<36}: {:.3f}\n", "DRAM% pct_of_peak_sustained_elapsed",
                      or_nan(summary.dram_percent));
  return text;
}

bool is_summary(std::string_view text) {
  return text.find("Arithmetic intensity") != std::string_view::npos &&
         text.find("Achieved GFLOP/s") != std::string_view::npos;
}

RooflineSummary parse_summary(std::string_view text, const std::string& source) {
  SummaryLines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.take(text.substr(at, end - at), at, source);
    at = end + 1;
  }
  const auto value = [&](std::size_t i) { return lines.numbers[i].value; };
  RooflineSummary summary{.label = lines.label, .input = lines.input};
  summary.fadd = value(0);
  summary.fmul = value(1);
  summary.ffma = value(2);
  summary.bytes_read = value(4);
  summary.bytes_written = value(5);
  summary.gflop_per_s = lines.needed(8, source);
  summary.flop_per_byte = lines.needed(10, source);
  summary.gb_per_s = value(9).value_or(summary.gflop_per_s / summary.flop_per_byte);
  // The sums were rounded to four digits: made again from the rates where the time is there.
  summary.seconds = value(7).value_or(0);
  if (summary.seconds < 1 / kMostOfAnything) summary.seconds = 0;
  summary.flop =
      summary.seconds > 0 ? summary.gflop_per_s * 1e9 * summary.seconds : value(3).value_or(0);
  summary.bytes = summary.flop / summary.flop_per_byte;
  summary.sm_percent = value(11);
  summary.dram_percent = value(12);
  return summary;
}

RooflinePoint point_of(const RooflineSummary& summary) {
  // Without a time any would do: one second keeps intensity and rate as they are.
  const bool timed = summary.seconds > 0;
  const double seconds = timed ? summary.seconds : 1;
  const double flop = summary.gflop_per_s * 1e9 * seconds;
  RooflinePoint point{.label = summary.label.empty() ? "workload" : summary.label,
                      .time = Seconds{seconds}};
  point.flop[index_of(ComputePath::Fp32)] = Flop{flop};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{flop / summary.flop_per_byte};
  point.sm_percent = summary.sm_percent;
  point.dram_percent = summary.dram_percent;
  point.by_shapes = summary.input == kFromShapes;
  return point;
}

}  // namespace ridgeline
