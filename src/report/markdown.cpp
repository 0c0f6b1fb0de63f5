#include "report/markdown.h"

#include <algorithm>

#include "core/display.h"
#include "core/error.h"

namespace ridgeline {

namespace {

std::string padded(const std::string& text, std::size_t width, bool right_aligned) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right_aligned ? space + text : text + space;
}

}  // namespace

std::string markdown_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("|\\`*_[]").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string to_markdown(const ReaderTable& table) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> lines(1);
  for (const auto& column : table.columns) lines[0].push_back(markdown_escape(column.title));
  for (const auto& row : table.rows) {
    RIDGELINE_CHECK(row.size() == table.columns.size());
    auto& line = lines.emplace_back();
    for (const auto& cell : row) line.push_back(markdown_escape(cell));
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = 3;  // the rule under the header needs three characters
    for (const auto& line : lines) widest = std::max(widest, display_width(line[c]));
    widths.push_back(widest);
  }
  std::string out;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      out += "| " + padded(lines[l][c], widths[c], table.columns[c].right_aligned) + " ";
    }
    out += "|\n";
    if (l > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool right = table.columns[c].right_aligned;
      out += "| " + std::string(widths[c] - (right ? 1 : 0), '-') + (right ? ": " : " ");
    }
    out += "|\n";
  }
  return out;
}

}  // namespace ridgeline
