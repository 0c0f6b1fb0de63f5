#pragma once

#include <vector>

#include "report/csv.h"
#include "report/reader_table.h"
#include "report/row.h"

namespace ridgeline {

// A/B comparisons, a line each: the two settings, the verdict and the speed-up with its interval.
[[nodiscard]] CsvTable verdict_csv(const std::vector<Json>& verdicts);
[[nodiscard]] ReaderTable verdict_reader_table(const std::vector<Json>& verdicts);

}  // namespace ridgeline
