#include "data/csv.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/display.h"
#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const CsvLimits& limits)
      : text_(text), name_(name), limits_(limits) {
    if (text_.starts_with(kByteOrderMark)) at_ = line_start_ = kByteOrderMark.size();
  }

  // Absent at the end.
  std::optional<std::vector<std::string>> next_row() {
    while (at_ < text_.size() && skip_line_end()) {
    }
    if (at_ == text_.size()) return std::nullopt;
    row_line_ = line_;
    std::vector<std::string> cells;
    for (;;) {
      if (cells.size() == limits_.columns)
        throw failure(fmt::format("more than {} columns", limits_.columns));
      cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_cell() : plain_cell());
      if (at_ == text_.size() || skip_line_end()) return cells;
      if (text_[at_] != ',') throw failure("text after a closing quote");
      ++at_;
    }
  }

  [[nodiscard]] std::size_t row_line() const { return row_line_; }

  [[nodiscard]] Error failure_in_row(const std::string& why) const {
    return bad_input(fmt::format("{}:{}: {}", name_, row_line_, why));
  }

 private:
  [[nodiscard]] Error failure(const std::string& why) const {
    return bad_input(fmt::format("{}:{}:{}: {}", name_, line_, at_ - line_start_ + 1, why));
  }

  // Steps over LF or CRLF; a CR alone is part of the text.
  bool skip_line_end() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    if (text_[at_] != '\n') return false;
    ++at_;
    ++line_;
    line_start_ = at_;
    return true;
  }

  // `length` is that of the cell so far, of which `piece` is the last part.
  void check(std::size_t length, std::string_view piece) const {
    if (length > limits_.cell)
      throw failure(fmt::format("a cell of more than {} bytes", limits_.cell));
    if (piece.find('\0') != std::string_view::npos) throw failure("a NUL byte in a cell");
  }

  // A quote inside a cell that does not begin with one is text, as in: 5" disk.
  std::string plain_cell() {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string_view cell = text_.substr(at_, end - at_);
    const bool before_line_end = end < text_.size() && text_[end] == '\n';
    if (before_line_end && cell.ends_with('\r')) cell.remove_suffix(1);
    check(cell.size(), cell);
    at_ += cell.size();
    return std::string(cell);
  }

  std::string quoted_cell() {
    const Error unclosed = failure("a quote that is never closed");
    std::string cell;
    ++at_;
    for (;;) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) throw unclosed;
      const std::string_view piece = text_.substr(at_, end - at_);
      cell += piece;
      check(cell.size(), piece);
      count_lines(piece);
      at_ = end + 1;
      if (at_ == text_.size() || text_[at_] != '"') return cell;
      cell += '"';
      ++at_;
    }
  }

  void count_lines(std::string_view piece) {
    for (auto found = piece.find('\n'); found != std::string_view::npos;
         found = piece.find('\n', found + 1)) {
      ++line_;
      line_start_ = at_ + found + 1;
    }
  }

  std::string_view text_;
  const std::string& name_;
  const CsvLimits& limits_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t row_line_ = 1;
};

}  // namespace

CsvContent parse_csv(std::string_view text, const std::string& name, const CsvLimits& limits) {
  Parser parser(text, name, limits);
  CsvContent content;
  auto header = parser.next_row();
  if (!header) throw bad_input(fmt::format("{}: no header line", name));
  content.header = std::move(*header);
  while (auto row = parser.next_row()) {
    if (row->size() != content.header.size()) {
      throw parser.failure_in_row(
          fmt::format("{} cells, but the header has {}", row->size(), content.header.size()));
    }
    content.rows.push_back(std::move(*row));
    content.lines.push_back(parser.row_line());
  }
  return content;
}

CsvContent read_csv(const std::filesystem::path& path, const CsvLimits& limits) {
  return parse_csv(read_file(path, limits.file), path.string(), limits);
}

std::size_t column_of(const CsvContent& content, std::string_view name) {
  const auto found = std::ranges::find(content.header, name);
  if (found != content.header.end())
    return static_cast<std::size_t>(found - content.header.begin());
  const auto near = nearest(name, {content.header.begin(), content.header.end()});
  throw bad_input(fmt::format("no column '{}'{}", name,
                              near ? fmt::format(", did you mean '{}'?", printable(*near)) : ""));
}

}  // namespace ridgeline
