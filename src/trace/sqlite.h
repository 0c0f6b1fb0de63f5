#pragma once

#include <sqlite3.h>

namespace ridgeline {

// The functions of SQLite that we call, from the library as this machine has it: only whoever
// analyses an export of Nsight Systems needs it.
struct Sqlite {
  decltype(&::sqlite3_open_v2) open_v2;
  decltype(&::sqlite3_close_v2) close_v2;
  decltype(&::sqlite3_errmsg) errmsg;
  decltype(&::sqlite3_db_config) db_config;
  decltype(&::sqlite3_limit) limit;
  decltype(&::sqlite3_prepare_v2) prepare_v2;
  decltype(&::sqlite3_step) step;
  decltype(&::sqlite3_finalize) finalize;
  decltype(&::sqlite3_column_int64) column_int64;
  decltype(&::sqlite3_column_type) column_type;
  decltype(&::sqlite3_column_text) column_text;
  decltype(&::sqlite3_column_bytes) column_bytes;
};

// Loaded at the first call. Error(Io) that says what to install where there is none.
[[nodiscard]] const Sqlite& sqlite();

}  // namespace ridgeline
