#include "report/peak_report.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "report/html_text.h"
#include "roofline/datasheet.h"
#include "roofline/peak.h"

namespace ridgeline {
namespace {

std::vector<MeasuredPeak> peaks_in(const Json& document) {
  std::vector<MeasuredPeak> peaks;
  const auto list = document.find("peaks");
  if (list == document.end() || !list->is_array()) return peaks;
  for (const Json& item : *list) {
    if (auto peak = parse_peak(item)) peaks.push_back(std::move(*peak));
  }
  const auto order = [](const MeasuredPeak& peak) {
    const std::size_t unit = peak.path    ? index_of(*peak.path)
                             : peak.level ? kComputePaths - index_of(*peak.level)
                                          : kComputePaths + 1;
    return std::tuple(peak.is_bandwidth, unit, peak.threads);
  };
  std::ranges::stable_sort(peaks, {}, order);
  return peaks;
}

std::string machine_of(const Json& document) { return text_at(document, {"machine"}).value_or(""); }

std::string interval_cell(const MeasuredPeak& peak) {
  const auto spread = spread_of(peak);
  if (!spread) return "–";
  return interval_text(peak.per_second, {.low = *peak.low, .high = *peak.high}) +
         (peak.too_low      ? " (too low)"
          : is_steady(peak) ? ""
                            : " (busy)");
}

std::optional<double> printed_figure(const Ceilings& sheet, const MeasuredPeak& peak) {
  if (peak.path) {
    if (const auto figure = sheet.of(*peak.path)) return figure->value;
  }
  if (peak.level) {
    if (const auto figure = sheet.of(*peak.level)) return figure->value;
  }
  return std::nullopt;
}

std::string threads_text(const MeasuredPeak& peak) {
  return peak.threads > 0 ? std::to_string(peak.threads) : "–";
}

// A sheet's cell, for a card that has one.
std::string share_text(const Ceilings& sheet, const MeasuredPeak& peak) {
  const auto figure = printed_figure(sheet, peak);
  return figure ? fmt::format("{:.1f} %", 100 * peak.per_second / *figure) : "–";
}

}  // namespace

CsvTable peaks_csv(const Json& document) {
  CsvTable table;
  table.header = {"name",           "threads",         "per_second", "unit",
                  "low_per_second", "high_per_second", "samples",    "reached_with"};
  for (const MeasuredPeak& peak : peaks_in(document)) {
    table.rows.push_back({peak.name, std::to_string(peak.threads), csv_number(peak.per_second),
                          peak.is_bandwidth ? "byte/s" : "FLOP/s", csv_number(peak.low),
                          csv_number(peak.high), std::to_string(peak.samples), peak.at});
  }
  return table;
}

ReaderTable peaks_reader_table(const Json& document) {
  const auto sheet = datasheet_of_device(machine_of(document));
  const auto peaks = peaks_in(document);
  const bool on_host =
      std::ranges::any_of(peaks, [](const MeasuredPeak& peak) { return peak.threads > 0; });
  ReaderTable table;
  table.columns = {{"Ceiling"}};
  if (on_host) table.columns.push_back({"Threads", true});
  table.columns.push_back({"Median", true});
  table.columns.push_back({"Interval", true});
  if (sheet) table.columns.push_back({"Of the datasheet", true});
  table.columns.push_back({"Reached with"});
  for (const MeasuredPeak& peak : peaks) {
    std::vector<std::string> row{peak.name};
    if (on_host) row.push_back(threads_text(peak));
    row.push_back(rate_text(peak.per_second, peak.is_bandwidth));
    row.push_back(interval_cell(peak));
    if (sheet) row.push_back(share_text(*sheet, peak));
    row.push_back(peak.at);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::optional<Section> peaks_section(const std::optional<Json>& document) {
  if (!document) return std::nullopt;
  Section section{.id = "peaks",
                  .title = "Peaks of " + machine_of(*document),
                  .body = html_table(peaks_reader_table(*document)),
                  .charts = {}};
  for (const std::string& note : document->value("notes", std::vector<std::string>()))
    section.body += "<p class=\"note\">" + html_escape(note) + "</p>\n";
  return section;
}

std::optional<RooflineScene> peaks_scene(const Json& document) {
  const auto threads = number_at(document, {"threads"});
  const auto peaks = peaks_in(document);
  try {
    return empty_scene(ceilings_of_peaks(
        peaks, machine_of(document), static_cast<int>(std::clamp(threads.value_or(0), 0.0, 1e6))));
  } catch (const Error&) {
    return std::nullopt;  // nothing of a kind was measured
  }
}

}  // namespace ridgeline
