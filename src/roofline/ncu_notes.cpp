#include "roofline/ncu_notes.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/format.h"
#include "core/malformed.h"
#include "roofline/ncu_missing.h"

namespace ridgeline {
namespace {

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

void note_reading(const NcuNotes& read, std::vector<std::string>& notes) {
  if (read.cut_off) notes.push_back("The file is cut off in its last row.");
  if (read.broken_rows > 0)
    notes.push_back(fmt::format("Not read: {} broken rows, the first at byte {}.", read.broken_rows,
                                read.first_broken_at));
  if (const auto text = unreadable_text(read)) notes.push_back(fmt::format("Not used: {}.", *text));
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
    notes.push_back("Its numbers were read with decimal commas, points between thousands.");
  for (const auto& [unit, count] : read.unknown_units)
    notes.push_back(fmt::format("Not used: values in the unknown unit {}.", in_quotes(unit)));
  for (const std::string& message : read.messages) notes.push_back("ncu says: " + message);
}

}  // namespace

std::optional<std::string> unreadable_text(const NcuNotes& read) {
  if (read.unreadable_values == 0) return std::nullopt;
  if (read.unreadable_values == 1)
    return fmt::format("a value that is no number, {}", in_quotes(read.first_unreadable));
  return fmt::format("{} values that are no numbers, the first {}", read.unreadable_values,
                     in_quotes(read.first_unreadable));
}

std::vector<std::string> ncu_notes(const NcuReport& report, const NcuPoints& points) {
  std::vector<std::string> notes;
  note_left_out(points, notes);
  std::ranges::move(missing_notes(report), std::back_inserter(notes));
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
