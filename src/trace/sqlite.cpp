#include "trace/sqlite.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

Library open_library() {
  try {
    return Library::open("libsqlite3.so.0");
  } catch (const Error& error) {
    throw Error(Fault::Io,
                fmt::format("exports of Nsight Systems need SQLite 3 (Debian: apt-get install "
                            "libsqlite3-0): {}",
                            error.what()));
  }
}

Sqlite load() {
  const Library library = open_library();
#define RIDGELINE_SQLITE(name) .name = library.symbol<decltype(&::sqlite3_##name)>("sqlite3_" #name)
  return {
      RIDGELINE_SQLITE(open_v2),     RIDGELINE_SQLITE(close_v2),    RIDGELINE_SQLITE(errmsg),
      RIDGELINE_SQLITE(db_config),   RIDGELINE_SQLITE(limit),       RIDGELINE_SQLITE(prepare_v2),
      RIDGELINE_SQLITE(step),        RIDGELINE_SQLITE(finalize),    RIDGELINE_SQLITE(column_int64),
      RIDGELINE_SQLITE(column_type), RIDGELINE_SQLITE(column_text), RIDGELINE_SQLITE(column_bytes)};
#undef RIDGELINE_SQLITE
}

}  // namespace

const Sqlite& sqlite() {
  static const Sqlite loaded = load();
  return loaded;
}

}  // namespace ridgeline
