#include "trace/nsys_trace.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "trace/analysis.h"
#include "trace/sqlite.h"
#include "trace/trace_file.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

// A database made of statements; the test skips where there is no SQLite to make one.
class NsysTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      (void)sqlite();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  void make(const std::vector<std::string>& statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite().open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                               nullptr),
              SQLITE_OK);
    for (const std::string& text : statements) {
      sqlite3_stmt* statement = nullptr;
      ASSERT_EQ(sqlite().prepare_v2(database, text.c_str(), -1, &statement, nullptr), SQLITE_OK)
          << text << ": " << sqlite().errmsg(database);
      sqlite().step(statement);
      sqlite().finalize(statement);
    }
    sqlite().close_v2(database);
  }

  std::string refusal() {
    return message_of(Fault::BadInput, [&] { (void)read_trace(path_); });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "made.sqlite";
};

TEST_F(NsysTraceTest, KernelsCopiesCallsAndRangesArrive) {
  make({"CREATE TABLE StringIds (id INTEGER, value TEXT)",
        "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel')",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId "
        "INTEGER, correlationId INTEGER, demangledName INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 7, 5, 1), (200, 190, 0, 7, 6, "
        "1), "
        "('x', 190, 0, 7, 6, 1)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId "
        "INTEGER, correlationId INTEGER, bytes INTEGER, copyKind INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (300, 310, 0, 7, 8, 4000, 1), (320, 330, 0, "
        "7, 9, 10, 99)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
        "correlationId "
        "INTEGER, nameId INTEGER, eventClass INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (80, 90, 42, 5, 2, 0)",
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, text TEXT, "
        "textId INTEGER)",
        "INSERT INTO NVTX_EVENTS VALUES (70, 99, 42, 'forward', NULL), (75, NULL, 42, 'mark', "
        "NULL)"});
  const Trace trace = read_trace(path_);
  EXPECT_EQ(trace.events.size(), 5U);
  EXPECT_EQ(trace.notes.without_time, 2U);
  const TraceAnalysis analysis = analyse(trace);
  ASSERT_EQ(analysis.kernels.size(), 3U);
  EXPECT_EQ(analysis.kernels[0].name, "gemm");
  EXPECT_EQ(analysis.kernels[0].total_ns, 50);
  ASSERT_EQ(analysis.copies.size(), 2U);
  EXPECT_EQ(analysis.copies[0].direction, "HtoD");
  EXPECT_EQ(analysis.copies[0].bytes_per_s(), 4e11);
  EXPECT_EQ(analysis.launches.calls, 1U);
  EXPECT_EQ(analysis.ops[0].name, "forward");
  EXPECT_EQ(analysis.ops[0].device_ns, 50);
}

TEST_F(NsysTraceTest, OtherAndDamagedDatabasesAreRefused) {
  make({"CREATE TABLE t (a INTEGER)"});
  EXPECT_THAT(refusal(), HasSubstr("no export of Nsight Systems"));
  std::string bytes = read_file(path_, {1e6});
  bytes.resize(bytes.size() / 2);
  write_file_atomically(path_, bytes);
  EXPECT_THAT(refusal(), HasSubstr("made.sqlite"));
}

TEST_F(NsysTraceTest, AViewInATablesPlaceIsNotRun) {
  make({"CREATE TABLE StringIds (id INTEGER, value TEXT)",
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
        "SELECT x + 1 FROM c) "
        "SELECT x AS start, x AS end, 0 AS deviceId, 0 AS streamId, 0 AS correlationId, 0 AS "
        "demangledName FROM c"});
  EXPECT_EQ(read_trace(path_).events.size(), 0U);
}

TEST_F(NsysTraceTest, TheExportOfAResNet50RunGivesItsKnownTotals) {
  const char* const data = std::getenv("RIDGELINE_DATA");
  const auto path = std::filesystem::path(data == nullptr ? "../shared/data" : data) /
                    "nsys/resnet50_a100.sqlite";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const TraceAnalysis analysis = analyse(read_trace(path));
  std::uint64_t kernels = 0;
  std::int64_t total = 0;
  for (const KernelRow& row : analysis.kernels) {
    if (row.work == WorkClass::Copy) continue;
    kernels += row.count;
    total += row.total_ns;
  }
  EXPECT_EQ(kernels, 1785U);
  EXPECT_EQ(total, 159'443'486);
}

}  // namespace
}  // namespace ridgeline
