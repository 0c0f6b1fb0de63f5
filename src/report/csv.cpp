#include "report/csv.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {

namespace {

void append_cell(std::string& out, const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_line(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, cells[i]);
  }
  // A lone empty cell would read back as a blank line, which readers skip.
  if (cells.size() == 1 && cells.front().empty()) out += "\"\"";
  out += '\n';
}

}  // namespace

std::string csv_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  return fmt::format("{:.9g}", *value);
}

std::string csv_integer(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  return fmt::format("{:.0f}", *value);
}

std::string to_csv(const CsvTable& table) {
  std::string out;
  append_line(out, table.header);
  for (const auto& row : table.rows) {
    RIDGELINE_CHECK(row.size() == table.header.size());
    append_line(out, row);
  }
  return out;
}

}  // namespace ridgeline
