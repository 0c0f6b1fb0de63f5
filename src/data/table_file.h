#pragma once

#include <filesystem>
#include <string>

#include "data/csv.h"

namespace ridgeline {

struct TableFileOptions {
  std::string duckdb = "duckdb";  // a name to look up in PATH, or a path
  CsvLimits limits{};
};

// A table of text as data sets come: CSV, or Parquet (by content, not by name) through DuckDB's
// program, where that is installed. A cell that is null is empty. Throws Error(Io) when the file
// cannot be read or DuckDB is not there or fails, Error(BadInput) when it is malformed.
[[nodiscard]] CsvContent read_table_file(const std::filesystem::path& path,
                                         const TableFileOptions& options = {});

}  // namespace ridgeline
