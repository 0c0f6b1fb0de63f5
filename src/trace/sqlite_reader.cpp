#include "trace/sqlite_reader.h"

#include <fmt/format.h>

#include "core/malformed.h"
#include "trace/sqlite.h"

namespace ridgeline {
namespace {

constexpr int kLongestText = 16 << 20;  // bytes; SQLite's own limit is a thousand millions

}  // namespace

std::optional<std::int64_t> SqliteRow::integer(int column) const {
  if (sqlite().column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite().column_int64(statement_, column);
}

std::string_view SqliteRow::text(int column) const {
  if (sqlite().column_type(statement_, column) != SQLITE_TEXT) return {};
  const auto* const start = reinterpret_cast<const char*>(sqlite().column_text(statement_, column));
  if (start == nullptr) return {};
  return {start, static_cast<std::size_t>(sqlite().column_bytes(statement_, column))};
}

void SqliteReader::Close::operator()(sqlite3* database) const { sqlite().close_v2(database); }

SqliteReader::SqliteReader(const std::filesystem::path& path) : source_(path.string()) {
  sqlite3* database = nullptr;
  const int code = sqlite().open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    throw Error(Fault::Io,
                fmt::format("cannot read '{}': {}", on_one_line(source_),
                            database == nullptr ? "out of memory" : sqlite().errmsg(database)));
  }
  // Functions in a foreign schema are not to be trusted.
  sqlite().db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite().db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite().limit(database, SQLITE_LIMIT_LENGTH, kLongestText);
}

bool SqliteReader::has_table(std::string_view name) {
  bool found = false;
  each("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
       [&](const SqliteRow& row) { found = found || row.text(0) == name; });
  if (!found) return false;
  bool computed = false;  // 2 and 3: columns whose values an expression in the schema makes
  // The statement, for a table of the file's own could stand in the place of the function.
  constexpr int kHidden = 6;
  each(fmt::format("PRAGMA table_xinfo('{}')", name),
       [&](const SqliteRow& row) { computed = computed || row.integer(kHidden).value_or(0) > 1; });
  return !computed;
}

bool SqliteReader::has_column(std::string_view table, std::string_view column) {
  constexpr int kName = 1;
  bool found = false;
  each(fmt::format("PRAGMA table_xinfo('{}')", table),
       [&](const SqliteRow& row) { found = found || row.text(kName) == column; });
  return found;
}

void SqliteReader::each(const std::string& query,
                        const std::function<void(const SqliteRow&)>& take) {
  const Sqlite& api = sqlite();
  sqlite3_stmt* prepared = nullptr;
  const int code = api.prepare_v2(database_.get(), query.c_str(), -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, decltype(api.finalize)> statement(prepared, api.finalize);
  const auto fail = [&] { return malformed(source_, on_one_line(api.errmsg(database_.get()))); };
  if (code != SQLITE_OK) throw fail();
  while (true) {
    const int state = api.step(prepared);
    if (state == SQLITE_DONE) return;
    if (state != SQLITE_ROW) throw fail();
    take(SqliteRow(prepared));
  }
}

}  // namespace ridgeline
