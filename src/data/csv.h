#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// A table read from a CSV file (RFC 4180): a header, and rows of as many cells.
struct CsvContent {
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::size_t> lines{};  // where each row starts, for messages; from 1
};

struct CsvLimits {
  Bytes file{256.0 * 1024 * 1024};
  std::size_t cell = 1U << 24U;  // bytes
  std::size_t columns = 4096;
};

// Cells may be quoted, with commas, line breaks and doubled quotes inside; lines end in LF or CRLF;
// a byte-order mark and empty lines are skipped. Throws Error(BadInput) with `name`, line and
// column for what is malformed (a quote that is never closed, text after one, a row of another
// width, a NUL) or beyond the limits.
[[nodiscard]] CsvContent parse_csv(std::string_view text, const std::string& name,
                                   const CsvLimits& limits = {});
[[nodiscard]] CsvContent read_csv(const std::filesystem::path& path, const CsvLimits& limits = {});

// The place of a column. Error(BadInput) naming the nearest when it is not there.
[[nodiscard]] std::size_t column_of(const CsvContent& content, std::string_view name);

}  // namespace ridgeline
