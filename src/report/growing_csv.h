#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/file_descriptor.h"
#include "report/csv.h"

namespace ridgeline {

// A table that grows while a run goes on: a kill leaves what was reported, and a long run does not
// write all of it again for every row. Lines are written whole or not at all. Failures are
// Error(Io); the row is then missing in the file.
class GrowingCsv {
 public:
  explicit GrowingCsv(std::filesystem::path path) : path_(std::move(path)) {}

  // The header is written by the first call, which replaces an older file.
  void add(const CsvTable& rows);
  // Writes these rows in the place of those of the last add().
  void replace_last(const CsvTable& rows);

 private:
  void append(const CsvTable& rows);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::int64_t last_ = 0;  // where the rows of the last add() begin
};

}  // namespace ridgeline
