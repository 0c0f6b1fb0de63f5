#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridgeline {

// A table for programs to read. Cells are text already; make numbers with csv_number.
struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as wide as the header
};

// Nine significant digits (finer than any clock), "." whatever the locale; empty when absent.
[[nodiscard]] std::string csv_number(std::optional<double> value);
[[nodiscard]] std::string csv_integer(std::optional<double> value);

// RFC 4180, except that lines end in "\n": what Unix tools and Python's and R's readers expect.
[[nodiscard]] std::string to_csv(const CsvTable& table);

}  // namespace ridgeline
