#include "trace/nsys_trace.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "trace/analysis.h"
#include "trace/made_nsys.h"
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

  void make(const std::vector<std::string>& statements) { make_database(path_, statements); }

  std::string refusal() {
    return message_of(Fault::BadInput, [&] { (void)read_trace(path_); });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "made.sqlite";
};

TEST_F(NsysTraceTest, KernelsCopiesCallsAndRangesArrive) {
  make(good_export());
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

TEST_F(NsysTraceTest, ColumnsThatAreComputedAreNotRunEither) {
  make({"CREATE TABLE StringIds (id INTEGER, value TEXT AS (hex(zeroblob(400000000))))",
        "INSERT INTO StringIds VALUES (1)"});
  EXPECT_THAT(refusal(), HasSubstr("no StringIds"));
}

TEST_F(NsysTraceTest, ATextOfImpossibleLengthIsRefused) {
  make({"CREATE TABLE StringIds (id INTEGER, value TEXT)",
        "INSERT INTO StringIds VALUES (1, hex(zeroblob(20000000)))"});
  EXPECT_THAT(refusal(), HasSubstr("too big"));
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

TEST_F(NsysTraceTest, AGraphThatIsRecordedAsAWholeIsWork) {
  std::vector<std::string> statements = good_export();
  statements.emplace_back(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER)");
  statements.emplace_back(
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1000, 1500, 0, 7, 77, 42, 3)");
  statements.emplace_back(
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900, 950, 42, 77, 2, 0)");
  make(statements);
  const TraceAnalysis analysis = analyse(read_trace(path_));
  EXPECT_EQ(analysis.kernels[0].name, "CUDA graph 3");
  EXPECT_EQ(analysis.kernels[0].total_ns, 500);
  EXPECT_EQ(analysis.launches.calls, 2U);
}

TEST_F(NsysTraceTest, CallsOfTwoProcessesThatBearOneNumberAreToldApart) {
  const auto process = [](int number) { return std::to_string(std::int64_t{number} << 24); };
  make({"CREATE TABLE StringIds (id INTEGER, value TEXT)",
        "INSERT INTO StringIds VALUES (1, 'first'), (2, 'second'), (3, 'cudaLaunchKernel')",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId INTEGER, correlationId INTEGER, demangledName INTEGER, globalPid INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1100, 1150, 0, 7, 5, 1, " + process(10) +
            "), (5100, 5150, 1, 7, 5, 2, " + process(11) + ")",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER, eventClass INTEGER)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, " + process(10) +
            " + 1, 5, 3, 0), (5000, 5010, " + process(11) + " + 2, 5, 3, 0)"});
  const Trace trace = read_trace(path_);
  const DeviceWork work(trace.events);
  ASSERT_EQ(work.items().size(), 2U);
  for (const DeviceWork::Item& item : work.items()) {
    ASSERT_TRUE(item.launch);
    EXPECT_EQ(trace.events.start_ns(*item.launch) + 100, trace.events.start_ns(item.event));
  }
}

}  // namespace
}  // namespace ridgeline
