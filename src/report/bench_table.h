#pragma once

#include <string_view>

#include "report/csv.h"
#include "report/reader_table.h"
#include "report/row.h"

namespace ridgeline {

// The tables of a benchmark. Rows that were skipped or failed stay in, with empty numbers and the
// reason in the last of the fixed columns.

// A column set a phase. Rows of the plainest kind (fp32, eager, plain kernels, one device, forward
// and backward only) give exactly the columns that scripts written for the transformer benchmark
// expect; other rows append what they need after those.
[[nodiscard]] CsvTable separate_csv(const Rows& rows);

// One time a row: the whole of what ran in a step (forward and backward combined).
[[nodiscard]] CsvTable direct_csv(const Rows& rows);

// Time against the number of warm-up steps.
[[nodiscard]] CsvTable warmup_csv(const Json& study);

// The column of reasons, adjustments and warnings: the last, where any row has one.
inline constexpr std::string_view kNoteColumn = "Note";

// The same rows for people: one unit a column, mean ± standard deviation.
[[nodiscard]] ReaderTable bench_reader_table(const Rows& rows);

}  // namespace ridgeline
