#include "roofline/ncu_report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/malformed.h"
#include "roofline/csv_rows.h"
#include "roofline/ncu_kernel_table.h"
#include "roofline/ncu_messages.h"

namespace ridgeline {
namespace {

constexpr double kBaseTimeUnit = 1e-9;  // ncu's: nanoseconds
// A counter has 64 bits at most; what reads beyond half of that, or below zero, has wrapped.
constexpr double kMostCount = 9.2e18;
constexpr std::size_t kMostUnknownUnits = 8;

// Of a unit's peak; what is read as more has its decimal mark taken for one of thousands.
constexpr double kMostPercent = 1000;
bool is_percent(NcuMetric metric) {
  return metric == NcuMetric::SmPercent || metric == NcuMetric::DramPercent ||
         metric == NcuMetric::Occupancy;
}

// Instructions, operations or bytes: whole numbers.
bool is_count(NcuMetric metric) {
  return metric >= NcuMetric::Fadd && metric <= NcuMetric::L1Bytes;
}

// In base units a sum of a kernel's counts has no fraction, and no kernel takes a few nanoseconds:
// its thousands were taken for decimals.
bool has_false_fraction(const NcuReading& reading, double number, double unit) {
  constexpr double kShortest = 100;  // ns
  if (reading.form != NcuForm::Sum || number == std::floor(number)) return false;
  if (reading.metric == NcuMetric::Time) return unit == kBaseTimeUnit && number < kShortest;
  return is_count(reading.metric) && unit == 1;
}

// Reads all rows with one decimal mark.
class NcuReader {
 public:
  NcuReader(std::string_view text, const NcuHeader& header, std::string source, DecimalMark mark)
      : rows_(text, header.rows_begin, header.delimiter),
        columns_(header.columns),
        kernels_(report_, evidence_, text.size()) {
    report_.source = std::move(source);
    report_.notes.layout = columns_.layout;
    report_.notes.mark = mark;
    rows_.expect_quotes(header.quoted);
    assume_base_units();
  }

  NcuReport read() {
    for (;;) {
      switch (rows_.next()) {
        case CsvRows::Step::End:
          return std::move(report_);
        case CsvRows::Step::Row:
          take_row();
          break;
        case CsvRows::Step::Noise:
          take_noise();
          break;
        case CsvRows::Step::CutOff:
          report_.notes.cut_off = true;
          break;
        case CsvRows::Step::Broken:
          count_broken();
          break;
      }
    }
  }
  [[nodiscard]] const MarkEvidence& evidence() const { return evidence_; }
  // Where nothing else tells the mark: 12,345 % is 12.345 %, and 12.345 bytes are 12345.
  [[nodiscard]] bool needs_comma() const {
    return evidence_.comma || ((beyond_percent_ || false_fraction_) && !evidence_.point);
  }

 private:
  void count_broken() {
    if (report_.notes.broken_rows++ == 0) report_.notes.first_broken_at = rows_.row_offset();
  }

  void take_noise() {
    if (rows_.line().empty()) return;
    ++report_.notes.noise_lines;
    keep_ncu_message(rows_.line(), report_.notes.messages);
  }

  void take_row() {
    const auto& cells = rows_.cells();
    if (cells.size() == 1 && cells.front().empty()) return;
    if (may_be_ncu_header(cells)) {
      take_header();
      return;
    }
    const std::size_t needed =
        columns_.layout == NcuLayout::Wide ? columns_.count : columns_.value + 1;
    if (cells.size() < needed) {
      count_broken();
      return;
    }
    ++report_.notes.rows;
    columns_.layout == NcuLayout::Wide ? take_wide_row() : take_metric_row();
  }

  // Several reports in one file: each has its header, and counts its kernels from zero.
  void take_header() {
    auto columns = ncu_columns(rows_.cells());
    if (!columns) {
      count_broken();
      return;
    }
    columns_ = std::move(*columns);
    kernels_.begin_part();
    assume_base_units();
  }

  void assume_base_units() {
    units_known_ = false;
    for (WideColumn& column : columns_.wide) {
      const bool time = column.reading.metric == NcuMetric::Time;
      column.unit = time ? kBaseTimeUnit : 1;
    }
  }

  void take_units_row() {
    units_known_ = true;
    for (WideColumn& column : columns_.wide) {
      const std::string_view unit = rows_.cells()[column.column];
      column.unit = unit_of(column.reading.metric, unit);
    }
  }

  std::optional<double> unit_of(NcuMetric metric, std::string_view unit) {
    if (unit.empty() && metric == NcuMetric::Time) {
      report_.notes.without_units = true;
      return kBaseTimeUnit;
    }
    const auto factor = ncu_unit(unit);
    if (!factor && report_.notes.unknown_units.size() < kMostUnknownUnits)
      ++report_.notes.unknown_units[std::string(unit.substr(0, 40))];
    return factor;
  }

  void take_wide_row() {
    const auto& cells = rows_.cells();
    if (cell_at(cells, columns_.id).empty() && cell_at(cells, columns_.kernel).empty()) {
      take_units_row();
      --report_.notes.rows;
      return;
    }
    if (!units_known_) report_.notes.without_units = true;
    kernels_.select(rows_, columns_);
    if (report_.device_name.empty())
      report_.device_name = unquoted(cell_at(cells, columns_.device_name).substr(0, 100));
    for (const WideColumn& column : columns_.wide)
      store(column.reading, column.unit, cells[column.column]);
  }

  void take_metric_row() {
    const auto& cells = rows_.cells();
    const std::string_view name = cell_at(cells, columns_.metric);
    if (name.empty()) return;  // a rule of the details page
    const std::string_view unit = cell_at(cells, columns_.unit);
    const auto reading = known_reading(name, unit);
    kernels_.select(rows_, columns_);
    if (!reading) return;
    const auto factor = last_unit_ == unit && last_metric_ == reading->metric
                            ? last_factor_
                            : unit_of(reading->metric, unit);
    last_unit_ = unit;
    last_metric_ = reading->metric;
    last_factor_ = factor;
    store(*reading, factor, cell_at(cells, columns_.value));
  }

  // A few names stand in a million rows: asked once each.
  std::optional<NcuReading> known_reading(std::string_view name, std::string_view unit) {
    if (name.find("__") == std::string_view::npos) return ncu_reading(name, unit);
    const auto known = readings_.find(name);
    if (known != readings_.end()) return known->second;
    const auto reading = ncu_reading(name, unit);
    readings_.emplace(name, reading);
    return reading;
  }

  void store(const NcuReading& reading, std::optional<double> unit, std::string_view cell) {
    NcuKernel& kernel = kernels_.selected();
    const auto at = static_cast<std::size_t>(reading.metric);
    if (kernel.present[at] && kernel.forms[at] < reading.form) return;
    const auto number = ncu_number(cell, report_.notes.mark, evidence_);
    if (kernel.present[at] && kernel.forms[at] == reading.form) {
      // ncu has several names for some quantities, whose values differ a little.
      if (number && unit && kernel.spellings[at] == reading.spelling)
        count_second(kernel.values[at], *number * *unit * reading.factor);
      return;
    }
    if (!number || !unit) {
      // A raw page has columns that only some kernels fill.
      if (!cell.empty()) kernel.unavailable[at] = true;
      if (!number && has_digits(cell)) count_unreadable(cell);
      return;
    }
    if (is_percent(reading.metric) && *number > kMostPercent) beyond_percent_ = true;
    if (columns_.layout != NcuLayout::Summary && has_false_fraction(reading, *number, *unit))
      false_fraction_ = true;
    if (*number < 0 || *number >= kMostCount) {
      kernel.overflowed[at] = true;
      return;
    }
    kernel.present[at] = true;
    kernel.forms[at] = reading.form;
    kernel.spellings[at] = reading.spelling;
    kernel.values[at] = *number * *unit * reading.factor;
  }

  void count_unreadable(std::string_view cell) {
    if (report_.notes.unreadable_values++ == 0)
      report_.notes.first_unreadable = unquoted(cell.substr(0, 100));
  }

  // The same again is the same but for rounding; another value is of another kernel that has the
  // same ID.
  void count_second(double first, double second) {
    constexpr double kRounding = 0.01;
    if (std::abs(second - first) <= kRounding * std::max(std::abs(first), std::abs(second))) {
      ++report_.notes.repeated_values;
      return;
    }
    if (report_.notes.second_values++ == 0) report_.notes.first_second_at = rows_.row_offset();
  }

  CsvRows rows_;
  NcuColumns columns_;
  NcuReport report_;
  MarkEvidence evidence_;
  NcuKernelTable kernels_;
  bool beyond_percent_ = false;
  bool false_fraction_ = false;
  bool units_known_ = false;
  std::string_view last_unit_{};
  std::optional<NcuMetric> last_metric_{};
  std::optional<double> last_factor_{};
  std::unordered_map<std::string_view, std::optional<NcuReading>> readings_;
};

}  // namespace

NcuReport parse_ncu_csv(std::string_view text, const std::string& source) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw malformed(source,
                    "UTF-16 text, as PowerShell's '>' writes it; let ncu write the file itself "
                    "(--log-file FILE) or save it as UTF-8");
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::string_view body = text.starts_with(kMark) ? text.substr(kMark.size()) : text;
  const auto header = find_ncu_header(body);
  if (!header) throw no_ncu_table(body, source);
  NcuReader reader(body, *header, source, DecimalMark::Point);
  NcuReport report = reader.read();
  if (reader.needs_comma()) {
    if (reader.evidence().point)
      throw malformed(source, "some of its numbers have a decimal point, others a decimal comma");
    report = NcuReader(body, *header, source, DecimalMark::Comma).read();
  }
  keep_ncu_messages(body.substr(0, header->rows_begin), report.notes.messages);
  if (report.kernels.empty()) throw no_ncu_kernels(report.notes, source);
  return report;
}

}  // namespace ridgeline
