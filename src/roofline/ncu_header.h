#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "roofline/ncu_metric.h"

namespace ridgeline {

// The pages that ncu prints as CSV: a row a metric (its default and --page details), a row a kernel
// (--page raw), a row a metric of all calls of a kernel (--print-summary).
enum class NcuLayout { Long, Wide, Summary };

struct WideColumn {
  std::size_t column{};
  NcuReading reading{};
  std::optional<double> unit{};  // absent until the units row, or when it says nothing known
};

inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// Where things stand in a row; kNoColumn for what this file does not have.
struct NcuColumns {
  NcuLayout layout = NcuLayout::Long;
  std::size_t count{};
  std::size_t id = kNoColumn;
  std::size_t process = kNoColumn;
  std::size_t host = kNoColumn;
  std::size_t kernel = kNoColumn;
  std::size_t ranges = kNoColumn;
  std::size_t block = kNoColumn;
  std::size_t grid = kNoColumn;
  std::size_t device = kNoColumn;
  std::size_t device_name = kNoColumn;
  std::size_t chip = kNoColumn;  // its compute capability
  std::size_t metric = kNoColumn;
  std::size_t unit = kNoColumn;
  std::size_t value = kNoColumn;  // of a summary: the average
  std::size_t calls = kNoColumn;
  std::vector<WideColumn> wide{};
};

// Empty where the row, or the file, does not have the column.
[[nodiscard]] inline std::string_view cell_at(const std::vector<std::string_view>& cells,
                                              std::size_t column) {
  return column < cells.size() ? cells[column] : std::string_view{};
}

// Absent when the cells are no header of ncu's.
[[nodiscard]] std::optional<NcuColumns> ncu_columns(const std::vector<std::string_view>& cells);

// Whether a row among others is another report's header, whatever columns that one has.
[[nodiscard]] bool may_be_ncu_header(const std::vector<std::string_view>& cells);

// The first line that is a header, after whatever the program printed before it: also on the same
// line, where it did not end its own.
struct NcuHeader {
  NcuColumns columns{};
  std::size_t rows_begin{};
  char delimiter = ',';
  bool quoted = true;
};
[[nodiscard]] std::optional<NcuHeader> find_ncu_header(std::string_view text);

}  // namespace ridgeline
