#pragma once

#include <string>

#include "profile/op_table.h"
#include "report/csv.h"
#include "report/reader_table.h"

namespace ridgeline {

// At most `top` rows, as they are shown to people.
[[nodiscard]] ReaderTable reader_table(const OpTable& table, std::size_t top);
[[nodiscard]] std::string to_text(const OpTable& table, std::size_t top);
// All rows, sums over all recorded steps.
[[nodiscard]] CsvTable to_csv_table(const OpTable& table);

}  // namespace ridgeline
