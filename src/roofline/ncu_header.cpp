#include "roofline/ncu_header.h"

#include <algorithm>
#include <array>

#include "roofline/csv_rows.h"

namespace ridgeline {
namespace {

constexpr std::string_view kKernelName = "Kernel Name";

struct Title {
  std::string_view text;
  std::size_t NcuColumns::*place;
};
constexpr std::array kTitles{
    Title{"ID", &NcuColumns::id},
    Title{"Process ID", &NcuColumns::process},
    Title{"Host Name", &NcuColumns::host},
    Title{kKernelName, &NcuColumns::kernel},
    Title{"Block Size", &NcuColumns::block},
    Title{"Grid Size", &NcuColumns::grid},
    Title{"Device", &NcuColumns::device},
    Title{"device__attribute_display_name", &NcuColumns::device_name},
    Title{"CC", &NcuColumns::chip},
    Title{"Metric Name", &NcuColumns::metric},
    Title{"Metric Unit", &NcuColumns::unit},
    Title{"Metric Value", &NcuColumns::value},
    Title{"Average", &NcuColumns::value},
    Title{"Invocations", &NcuColumns::calls},
};

// Names in the raw page may be followed by what they mean: "gpu__time_duration.sum [usecond]".
std::string_view metric_of(std::string_view title) { return title.substr(0, title.find(' ')); }

void place_cell(NcuColumns& columns, std::string_view cell, std::size_t at) {
  for (const Title& title : kTitles) {
    if (cell == title.text && columns.*title.place == kNoColumn) columns.*title.place = at;
  }
  if (cell.find(":Push/Pop_Range:") != std::string_view::npos) columns.ranges = at;
  if (cell.find("__") == std::string_view::npos) return;
  if (const auto reading = ncu_reading(metric_of(cell), ""))
    columns.wide.push_back({.column = at, .reading = *reading, .unit = {}});
}

char delimiter_of(std::string_view line) {
  char best = ',';
  for (const char c : {';', '\t'}) {
    if (std::ranges::count(line, c) > std::ranges::count(line, best)) best = c;
  }
  return best;
}

// The header that stands from `start` to the line's end.
std::optional<NcuHeader> header_in(std::string_view text, std::size_t start, std::size_t end) {
  const std::string_view line = text.substr(start, end - start);
  const char delimiter = delimiter_of(line);
  CsvRows rows(text.substr(0, end), start, delimiter);
  if (rows.next() != CsvRows::Step::Row) return std::nullopt;
  auto columns = ncu_columns(rows.cells());
  if (!columns) return std::nullopt;
  return NcuHeader{.columns = std::move(*columns),
                   .rows_begin = std::min(end + 1, text.size()),
                   .delimiter = delimiter,
                   .quoted = line.starts_with('"')};
}

}  // namespace

std::optional<NcuColumns> ncu_columns(const std::vector<std::string_view>& cells) {
  NcuColumns columns{.count = cells.size()};
  for (std::size_t i = 0; i < cells.size(); ++i) place_cell(columns, cells[i], i);
  if (columns.kernel == kNoColumn) return std::nullopt;
  const bool by_metric = columns.metric != kNoColumn && columns.value != kNoColumn;
  if (by_metric && columns.calls != kNoColumn) {
    columns.layout = NcuLayout::Summary;
  } else if (columns.id == kNoColumn) {
    return std::nullopt;
  } else if (!by_metric) {
    columns.layout = NcuLayout::Wide;
  }
  return columns;
}

bool may_be_ncu_header(const std::vector<std::string_view>& cells) {
  // Of a million rows all begin with a number.
  const std::string_view first = cells.empty() ? std::string_view{} : cells.front();
  if (first.empty() || (first.front() >= '0' && first.front() <= '9')) return false;
  return std::ranges::find(cells, kKernelName) != cells.end();
}

std::optional<NcuHeader> find_ncu_header(std::string_view text) {
  std::size_t at = 0;
  while ((at = text.find(kKernelName, at)) != std::string_view::npos) {
    const std::size_t before = text.rfind('\n', at);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto header = header_in(text, start, end)) return header;
    for (const std::string_view first : {"\"ID\"", "\"Process ID\""}) {
      const std::size_t glued = text.substr(start, end - start).find(first);
      if (glued == std::string_view::npos) continue;
      if (auto header = header_in(text, start + glued, end)) return header;
    }
    at = end;
  }
  return std::nullopt;
}

}  // namespace ridgeline
