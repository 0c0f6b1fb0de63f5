#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "trace/nsys_trace.h"
#include "trace/sqlite.h"

namespace ridgeline {

// Runs statements on a new database. Error(Internal) with SQLite's words for a wrong one, Error(Io)
// where there is no SQLite.
inline void make_database(const std::filesystem::path& path,
                          const std::vector<std::string>& statements) {
  sqlite3* database = nullptr;
  const int opened = sqlite().open_v2(path.c_str(), &database,
                                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  bool good = opened == SQLITE_OK;
  std::string wrong;
  for (const std::string& text : statements) {
    sqlite3_stmt* statement = nullptr;
    good =
        good && sqlite().prepare_v2(database, text.c_str(), -1, &statement, nullptr) == SQLITE_OK;
    if (!good) {
      wrong = text + ": " + sqlite().errmsg(database);
      break;
    }
    sqlite().step(statement);
    sqlite().finalize(statement);
  }
  sqlite().close_v2(database);
  if (!good) throw Error(Fault::Internal, wrong);
}

// An export of Nsight Systems with a few rows of everything we read. Small pages, so that damage
// meets their headers often.
inline std::vector<std::string> good_export() {
  return {"PRAGMA page_size = 512",
          "CREATE TABLE StringIds (id INTEGER, value TEXT)",
          "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel')",
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
          "streamId INTEGER, correlationId INTEGER, demangledName INTEGER)",
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 7, 5, 1), (200, 190, 0, 7, "
          "6, 1), ('x', 190, 0, 7, 6, 1)",
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
          "streamId INTEGER, correlationId INTEGER, bytes INTEGER, copyKind INTEGER)",
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (300, 310, 0, 7, 8, 4000, 1), (320, 330, "
          "0, 7, 9, 10, 99)",
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid "
          "INTEGER, correlationId INTEGER, nameId INTEGER, eventClass INTEGER)",
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (80, 90, 42, 5, 2, 0)",
          "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, text TEXT, "
          "textId INTEGER)",
          "INSERT INTO NVTX_EVENTS VALUES (70, 99, 42, 'forward', NULL), (75, NULL, 42, 'mark', "
          "NULL)"};
}

// Whatever the bytes, the reader returns or throws one line of Error(BadInput) that names the file.
// SQLite takes files alone, so they go through one.
inline bool survives_as_nsys(std::span<const std::byte> bytes) {
  static const TemporaryFolder folder;
  const auto path = folder.path() / "hostile.sqlite";
  std::filesystem::remove(path);  // writing over a file makes some file systems wait for the disk
  folder.put("hostile.sqlite", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  try {
    const Trace trace = read_nsys_trace(path);
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events.duration_ns(i) < 0 || trace.events.end_ns(i) < trace.events.start_ns(i))
        return false;
      (void)trace.events.name_text(i).size();
    }
    return true;
  } catch (const Error& error) {
    const std::string_view line = error.what();
    return error.fault() == Fault::BadInput &&
           line.find("hostile.sqlite") != std::string_view::npos &&
           line.find('\n') == std::string_view::npos;
  }
}

}  // namespace ridgeline
