#include "roofline/ncu_notes.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/format.h"
#include "core/malformed.h"
#include "roofline/ncu_command.h"
#include "roofline/ncu_quantity.h"

namespace ridgeline {
namespace {

bool any_has(const NcuReport& report, NcuMetric metric) {
  return std::ranges::any_of(report.kernels, [&](const NcuKernel& kernel) {
    return ncu_quantity(kernel, metric).state == QuantityState::Value;
  });
}

void note_left_out(const NcuPoints& points, std::vector<std::string>& notes) {
  std::map<std::string, std::uint64_t> reasons;
  Seconds time{};
  for (const LeftOut& kernel : points.left_out) {
    ++reasons[kernel.reason];
    time += kernel.time.value_or(Seconds{0});
  }
  if (reasons.empty()) return;
  std::vector<std::string> told;
  for (const auto& [reason, count] : reasons)
    told.push_back(fmt::format("{} ({}×)", reason, count));
  if (told.size() > 4) {
    told.resize(4);
    told.push_back("…");
  }
  notes.push_back(fmt::format("Left out of every sum: {} of {} kernels, {} of known time: {}.",
                              points.left_out.size(), points.left_out.size() + points.points.size(),
                              format_seconds(time), fmt::join(told, ", ")));
}

// Names of matrix kernels that use tensor cores: shapes of their instructions, or their makers.
bool names_tensor_cores(std::string_view name) {
  constexpr std::array<std::string_view, 9> kMarks{"tensorop", "16816", "s1688", "h1688", "884",
                                                   "hmma",     "nvjet", "gmma",  "xmma"};
  // cuBLAS calls kernels of the vector units after the same maker, and names their instruction.
  constexpr std::array<std::string_view, 3> kOthers{"simt", "_ffma", "_dfma"};
  const auto is_in = [&](std::string_view mark) {
    return name.find(mark) != std::string_view::npos;
  };
  return std::ranges::any_of(kMarks, is_in) && std::ranges::none_of(kOthers, is_in);
}

void note_tensor(const NcuReport& report, std::vector<std::string>& notes) {
  for (std::size_t i = static_cast<std::size_t>(NcuMetric::TensorFp64);
       i <= static_cast<std::size_t>(NcuMetric::TensorInt8); ++i) {
    if (any_has(report, static_cast<NcuMetric>(i))) return;
  }
  const bool ran = std::ranges::any_of(report.kernels, [](const NcuKernel& kernel) {
    return ncu_quantity(kernel, NcuMetric::TensorInstructions).value > 0;
  });
  std::vector<bool> by_name;
  for (std::uint32_t i = 0; i < report.names.size(); ++i)
    by_name.push_back(names_tensor_cores(report.names[i]));
  const auto named = std::ranges::count_if(
      report.kernels, [&](const NcuKernel& kernel) { return by_name[kernel.name]; });
  if (!ran && named == 0) return;
  notes.push_back(fmt::format(
      "{} on tensor cores, whose FLOPs the file does not have: its FLOPs are too few; {}",
      ran ? "Some kernels ran" : fmt::format("By their names {} kernels ran", named),
      how_to_count({.tensor = true, .chip = report.chip})));
}

void note_missing(const NcuReport& report, std::vector<std::string>& notes) {
  const std::array kWanted{NcuMetric::SmPercent, NcuMetric::DramPercent, NcuMetric::Fadd,
                           NcuMetric::Fmul, NcuMetric::Ffma};
  std::vector<std::string_view> missing;
  for (const NcuMetric metric : kWanted) {
    if (!any_has(report, metric)) missing.push_back(name_of(metric));
  }
  if (missing.empty()) return;
  notes.push_back(fmt::format("Not in the file: {}; {}", fmt::join(missing, ", "),
                              how_to_count({.chip = report.chip})));
}

void note_reading(const NcuNotes& read, std::vector<std::string>& notes) {
  if (read.cut_off) notes.push_back("The file is cut off in its last row.");
  if (read.broken_rows > 0)
    notes.push_back(fmt::format("Not read: {} broken rows, the first at byte {}.", read.broken_rows,
                                read.first_broken_at));
  if (read.second_values > 0)
    notes.push_back(
        fmt::format("Not used: {} values of metrics that their kernel had already with another "
                    "value, the first "
                    "at byte {}: reports joined without their headers have kernels of the same ID.",
                    read.second_values, read.first_second_at));
  // A page of details repeats a few; a quarter of all is a report that is there twice.
  if (read.layout != NcuLayout::Wide && 4 * read.repeated_values > read.rows)
    notes.push_back(fmt::format(
        "Not used: {} of {} rows repeat what their kernel had already: is the same report in the "
        "file twice, without its header?",
        read.repeated_values, read.rows));
  if (read.without_units)
    notes.push_back("Times without a unit were taken as nanoseconds, ncu's base unit.");
  if (read.mark == DecimalMark::Comma)
    notes.push_back("Its numbers have decimal commas and were read so.");
  for (const auto& [unit, count] : read.unknown_units)
    notes.push_back(fmt::format("Not used: values in the unknown unit {}.", in_quotes(unit)));
  for (const std::string& message : read.messages) notes.push_back("ncu says: " + message);
}

}  // namespace

std::vector<std::string> ncu_notes(const NcuReport& report, const NcuPoints& points) {
  std::vector<std::string> notes;
  note_left_out(points, notes);
  note_tensor(report, notes);
  note_missing(report, notes);
  note_reading(report.notes, notes);
  return notes;
}

std::optional<BytesPerSecond> implied_dram_bandwidth(const std::vector<RooflinePoint>& points) {
  constexpr double kLeastPercent = 20;
  std::vector<double> implied;
  for (const RooflinePoint& point : points) {
    const auto bytes = point.of(MemoryLevel::Dram);
    if (!point.dram_percent || *point.dram_percent < kLeastPercent || !bytes) continue;
    const double rate = bytes->count / point.time.count() / (*point.dram_percent / 100);
    if (rate > 0) implied.push_back(rate);
  }
  if (implied.empty()) return std::nullopt;
  const auto middle = implied.begin() + static_cast<std::ptrdiff_t>(implied.size() / 2);
  std::ranges::nth_element(implied, middle);
  return BytesPerSecond{*middle};
}

}  // namespace ridgeline
