#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ridgeline {

// A row of a query; columns count from 0.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;  // absent for other types
  [[nodiscard]] std::string_view text(int column) const;  // until the next row; empty for none

 private:
  sqlite3_stmt* statement_;
};

// A database of outside, opened for reading alone. Every member throws Error(BadInput) with the
// file's name when the database is damaged or not what was expected.
class SqliteReader {
 public:
  explicit SqliteReader(const std::filesystem::path& path);

  // True for a plain table: a view, a virtual table or a computed column could run anything.
  // `name` is ours, never the file's.
  [[nodiscard]] bool has_table(std::string_view name);
  // Of a table that is there.
  [[nodiscard]] bool has_column(std::string_view table, std::string_view column);
  void each(const std::string& query, const std::function<void(const SqliteRow&)>& take);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string source_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace ridgeline
