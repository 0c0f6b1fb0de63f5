#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

// Rows of a CSV text that lies in memory whole, cells as views into it: nothing is copied. Written
// for what programs print between and around the rows: where cells are quoted, a line that does not
// begin with a quote is no row. A byte order mark before a line is passed over: a file that was
// joined from several has one at each one's beginning.
class CsvRows {
 public:
  // Begins at `offset`, where a line begins.
  CsvRows(std::string_view text, std::size_t offset, char delimiter)
      : text_(text), next_(offset), delimiter_(delimiter) {}

  enum class Step {
    Row,
    Noise,   // a line that is no row; cells() is empty, line() is the line
    Broken,  // a quote that is not closed or is followed by text; reading goes on at the next line
    CutOff,  // the same at the end of the text: the file was cut short
    End
  };
  void expect_quotes(bool quoted) { quoted_ = quoted; }
  [[nodiscard]] Step next();
  // As they stand between their quotes: doubled quotes are still doubled.
  [[nodiscard]] const std::vector<std::string_view>& cells() const { return cells_; }
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t row_offset() const { return row_; }

 private:
  enum class Cell { Delimited, LastOfRow, Malformed, Unclosed };
  Cell take_cell();
  Cell take_quoted();
  Cell take_plain();
  void take_line();

  std::string_view text_;
  std::size_t row_ = 0;
  std::size_t next_ = 0;
  char delimiter_;
  bool quoted_ = false;
  std::vector<std::string_view> cells_;
  std::string_view line_;
};

// A cell with its doubled quotes made single.
[[nodiscard]] std::string unquoted(std::string_view cell);

}  // namespace ridgeline
