#pragma once

#include "report/csv.h"
#include "report/reader_table.h"
#include "report/row.h"

namespace ridgeline {

// The tables of `bench loader`, a row for each number of workers.
[[nodiscard]] bool are_loader_rows(const Rows& rows);
[[nodiscard]] CsvTable loader_csv(const Rows& rows);
[[nodiscard]] ReaderTable loader_reader_table(const Rows& rows);

// The rate of a row over that of one worker in the same run and as many cores; absent without a
// row of one worker and for none.
[[nodiscard]] std::optional<double> scaling_of(const Json& row, const Rows& rows);

}  // namespace ridgeline
