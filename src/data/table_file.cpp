#include "data/table_file.h"

#include <array>
#include <fstream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"
#include "core/process.h"
#include "core/text.h"

namespace ridgeline {
namespace {

constexpr std::string_view kParquetMark = "PAR1";
constexpr Seconds kPatience{600};

bool is_parquet(const std::filesystem::path& path) {
  std::array<char, kParquetMark.size()> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) &&
         std::string_view(start.data(), start.size()) == kParquetMark;
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string converted(const std::filesystem::path& path, const TableFileOptions& options) {
  const std::string shown = on_one_line(path.string());
  const auto program = find_program(options.duckdb);
  if (!program)
    throw Error(Fault::Io, fmt::format("cannot read '{}': it is Parquet, which is read by DuckDB's "
                                       "program; install it with: pip install duckdb-cli",
                                       shown));
  const ChildResult child =
      run_child({program->string(), "-csv", "-nullvalue", "", "-c",
                 fmt::format("SELECT * FROM read_parquet({})",
                             sql_text(std::filesystem::absolute(path).string()))},
                {.timeout = kPatience});
  if (child.timed_out)
    throw Error(Fault::Io, fmt::format("DuckDB did not finish reading '{}'", shown));
  if (!child.succeeded()) {
    const std::string_view said = last_line(child.err.empty() ? child.out : child.err);
    throw Error(Fault::Io, fmt::format("DuckDB cannot read '{}': {}", shown,
                                       said.empty() ? "it gave no reason" : on_one_line(said)));
  }
  return child.out;
}

}  // namespace

CsvContent read_table_file(const std::filesystem::path& path, const TableFileOptions& options) {
  if (!is_parquet(path)) return read_csv(path, options.limits);
  return parse_csv(converted(path, options), path.string(), options.limits);
}

}  // namespace ridgeline
