#pragma once

#include <string>
#include <vector>

namespace ridgeline {

struct Column {
  std::string title{};
  bool right_aligned = false;
};

// A plain table for the terminal: titles, a rule, rows; aligned by what the eye sees, not by bytes.
class Table {
 public:
  explicit Table(std::vector<Column> columns);
  void add(std::vector<std::string> cells);  // as many as there are columns
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ridgeline
