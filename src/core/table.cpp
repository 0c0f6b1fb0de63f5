#include "core/table.h"

#include <algorithm>
#include <utility>

#include "core/display.h"
#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::string_view kGap = "  ";

std::string padded(const std::string& cell, std::size_t width, bool right_aligned) {
  const std::string blanks(width - display_width(cell), ' ');
  return right_aligned ? blanks + cell : cell + blanks;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line;
  text += '\n';
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::add(std::vector<std::string> cells) {
  RIDGELINE_CHECK(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::to_text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string text;
  std::string titles;
  std::string rule;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) titles += kGap, rule += kGap;
    titles += padded(columns_[c].title, widths[c], columns_[c].right_aligned);
    rule += std::string(widths[c], '-');
  }
  add_line(text, titles);
  add_line(text, rule);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) line += kGap;
      line += padded(row[c], widths[c], columns_[c].right_aligned);
    }
    add_line(text, line);
  }
  return text;
}

}  // namespace ridgeline
