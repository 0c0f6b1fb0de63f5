#include "roofline/ncu_report.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/malformed.h"
#include "roofline/csv_rows.h"
#include "roofline/ncu_messages.h"

namespace ridgeline {
namespace {

constexpr double kBaseTimeUnit = 1e-9;  // ncu's: nanoseconds
// A counter has 64 bits at most; what reads beyond half of that, or below zero, has wrapped.
constexpr double kMostCount = 9.2e18;
constexpr std::size_t kMostUnknownUnits = 8;

std::string_view cell_at(const std::vector<std::string_view>& cells, std::size_t column) {
  return column < cells.size() ? cells[column] : std::string_view{};
}

// What tells kernels apart; the texts lie in the file.
struct KernelKey {
  std::uint64_t part{};
  std::array<std::string_view, 5> texts{};
  bool operator==(const KernelKey&) const = default;
};

struct KernelHash {
  std::size_t operator()(const KernelKey& key) const {
    std::size_t hash = key.part;
    for (const std::string_view text : key.texts)
      hash = hash * 1099511628211U + std::hash<std::string_view>{}(text);
    return hash;
  }
};

// Reads all rows with one decimal mark.
class NcuReader {
 public:
  NcuReader(std::string_view text, const NcuHeader& header, std::string source, DecimalMark mark)
      : rows_(text, header.rows_begin, header.delimiter),
        size_(text.size()),
        columns_(header.columns) {
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
    const std::size_t needed =
        columns_.layout == NcuLayout::Wide ? columns_.count : columns_.value + 1;
    if (cells.size() < needed) {
      count_broken();
      return;
    }
    if (cell_at(cells, columns_.kernel) == "Kernel Name") {
      take_header();
      return;
    }
    ++report_.notes.rows;
    columns_.layout == NcuLayout::Wide ? take_wide_row() : take_metric_row();
  }

  // Several reports in one file: each has its header, and counts its kernels from zero.
  void take_header() {
    auto columns = ncu_columns(rows_.cells());
    if (!columns) return;
    columns_ = std::move(*columns);
    ++part_;
    last_id_ = {};
    last_process_ = {};
    current_ = kNoKernel;
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
    select_kernel();
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
    select_kernel();
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
    NcuKernel& kernel = report_.kernels[current_];
    const auto at = static_cast<std::size_t>(reading.metric);
    if (kernel.present[at] && kernel.forms[at] <= reading.form) return;
    const auto number = ncu_number(cell, report_.notes.mark, evidence_);
    if (!number || !unit) {
      // A raw page has columns that only some kernels fill.
      if (!cell.empty()) kernel.unavailable[at] = true;
      return;
    }
    if (*number < 0 || *number >= kMostCount) {
      kernel.overflowed[at] = true;
      return;
    }
    kernel.present[at] = true;
    kernel.forms[at] = reading.form;
    kernel.values[at] = *number * *unit * reading.factor;
  }

  // Kernels are told apart by their ID; a summary has none, there the kernel and its launch do.
  void select_kernel() {
    const auto& cells = rows_.cells();
    const std::string_view id = cell_at(cells, columns_.id);
    const std::string_view process = cell_at(cells, columns_.process);
    if (current_ != kNoKernel && columns_.layout != NcuLayout::Summary && id == last_id_ &&
        process == last_process_)
      return;
    last_id_ = id;
    last_process_ = process;
    KernelKey key{.part = part_, .texts = {process, id}};
    if (columns_.layout == NcuLayout::Summary) {
      key.texts = {process, cell_at(cells, columns_.kernel), cell_at(cells, columns_.block),
                   cell_at(cells, columns_.grid), cell_at(cells, columns_.device)};
    }
    const auto [place, is_new] = places_.try_emplace(key, report_.kernels.size());
    current_ = place->second;
    if (!is_new) return;
    add_kernel();
    if (report_.kernels.size() == kSample) make_room();
  }

  // Growing again and again would copy everything twice and touch three times the memory. A kernel
  // takes less room than its row of the raw page; of other pages the text's size bounds it.
  void make_room() {
    const std::size_t expected = kSample * (size_ / (rows_.row_offset() + 1) + 1);
    const std::size_t most = std::min(expected, size_ / sizeof(NcuKernel));
    report_.kernels.reserve(most + most / 16);
    places_.reserve(most + most / 16);
  }

  // The number of what `make` makes of a cell; a few hundred cells stand for all, so made once
  // each.
  template <class Make>
  std::uint32_t number_of(std::string_view cell,
                          std::unordered_map<std::string_view, std::uint32_t>& known, Make make) {
    const auto found = known.find(cell);
    if (found != known.end()) return found->second;
    const std::uint32_t number = report_.names.number_of(make(cell));
    known.emplace(cell, number);
    return number;
  }

  void add_kernel() {
    const auto& cells = rows_.cells();
    NcuKernel& kernel = report_.kernels.emplace_back();
    kernel.name = number_of(cell_at(cells, columns_.kernel), name_cells_, unquoted);
    kernel.ranges = number_of(cell_at(cells, columns_.ranges), range_cells_,
                              [](std::string_view cell) { return ncu_range_path(unquoted(cell)); });
    kernel.grid = number_of(cell_at(cells, columns_.grid), name_cells_, unquoted);
    kernel.block = number_of(cell_at(cells, columns_.block), name_cells_, unquoted);
    if (columns_.layout != NcuLayout::Summary) return;
    const auto calls = ncu_number(cell_at(cells, columns_.calls), report_.notes.mark, evidence_);
    if (calls && *calls >= 1 && *calls < 1e15) kernel.calls = static_cast<std::uint64_t>(*calls);
  }

  static constexpr std::size_t kSample = 256;
  static constexpr std::size_t kNoKernel = static_cast<std::size_t>(-1);

  CsvRows rows_;
  std::size_t size_;  // of the text
  NcuColumns columns_;
  NcuReport report_;
  MarkEvidence evidence_;
  bool units_known_ = false;
  std::uint64_t part_ = 0;
  std::size_t current_ = kNoKernel;
  std::string_view last_id_;
  std::string_view last_process_;
  std::string_view last_unit_{};
  std::optional<NcuMetric> last_metric_{};
  std::optional<double> last_factor_{};
  std::unordered_map<KernelKey, std::size_t, KernelHash> places_;
  std::unordered_map<std::string_view, std::uint32_t> name_cells_;
  std::unordered_map<std::string_view, std::uint32_t> range_cells_;
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
  if (reader.evidence().comma) {
    if (reader.evidence().point)
      throw malformed(source, "some of its numbers have a decimal point, others a decimal comma");
    report = NcuReader(body, *header, source, DecimalMark::Comma).read();
  }
  keep_ncu_messages(body.substr(0, header->rows_begin), report.notes.messages);
  if (report.kernels.empty()) throw no_ncu_kernels(report.notes, source);
  return report;
}

}  // namespace ridgeline
