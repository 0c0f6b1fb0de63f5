#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/row.h"

namespace ridgeline {

// A column of a CSV and how a row fills it; an empty cell is one the row does not know.
struct CsvColumn {
  std::string title;
  std::function<std::string(const Json&)> cell;
};

// A statistic of a phase in milliseconds: {"phases", phase, key} is in seconds.
[[nodiscard]] CsvColumn milliseconds_column(std::string title, std::string phase, std::string key);

// What rows need beyond the fixed columns: none when they are of the plainest kind (see
// bench_table.h), else those that some row fills and that say something.
[[nodiscard]] std::vector<CsvColumn> extra_columns(const Rows& rows);

}  // namespace ridgeline
