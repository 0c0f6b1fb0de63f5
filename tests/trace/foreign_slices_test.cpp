#include "trace/foreign_slices.h"

#include <span>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "trace/analysis_facts.h"
#include "trace/chrome_trace.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

TraceAnalysis analysis_of(const std::string& events) {
  const std::string text = "[" + events + "]";
  return analyse(parse_chrome_trace(std::as_bytes(std::span(text)), "foreign"));
}

std::string slice(std::string_view name, int process, int thread, int start, int length,
                  std::string_view category = "") {
  return fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{}{}}},)", name,
                     process, thread, start, length,
                     category.empty() ? "" : fmt::format(R"(,"cat":"{}")", category));
}

std::string process_name(int process, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}},)",
                     process, name);
}

std::string thread_name(int process, int thread, std::string_view name) {
  return fmt::format(
      R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}},)", process,
      thread, name);
}

std::vector<std::string> ops_of(const TraceAnalysis& analysis) {
  std::vector<std::string> names;
  for (const TraceOpRow& row : analysis.ops) names.push_back(row.name);
  return names;
}

TEST(ForeignSlicesTest, SlicesOfUnknownCategoriesAndOfNoneAreOps) {
  const TraceAnalysis analysis =
      analysis_of(slice("parse", 1, 1, 0, 100, "my_tool") + slice("read", 1, 1, 10, 60) +
                  R"({"ph":"B","name":"run","pid":1,"tid":2,"ts":0},)"
                  R"({"ph":"E","pid":1,"tid":2,"ts":30})");
  EXPECT_THAT(ops_of(analysis), ::testing::ElementsAre("read", "parse", "run"));
  EXPECT_EQ(analysis.ops[1].self_host_ns, 40'000) << "less what is nested in it";
  EXPECT_TRUE(analysis.kernels.empty());
  EXPECT_THAT(findings_text(facts_of(analysis)),
              HasSubstr("Top 3 operations by host time: read (46.2 %, 60.0 µs in all)"));
}

TEST(ForeignSlicesTest, PyTorchsFrameAroundEverythingIsNoOp) {
  const TraceAnalysis analysis = analysis_of(slice("PyTorch Profiler (0)", 1, 1, 0, 100, "Trace") +
                                             slice("aten::mm", 1, 1, 10, 60, "cpu_op"));
  EXPECT_THAT(ops_of(analysis), ::testing::ElementsAre("aten::mm"));
}

TEST(ForeignSlicesTest, LinesNamedAsAGpusHoldItsWork) {
  const TraceAnalysis analysis = analysis_of(
      slice("launch", 1, 1, 0, 100) + slice("gemm", 6, 3, 50, 30) +
      slice("MemcpyH2D", 6, 3, 90, 5) + process_name(1, "CPU HIP API") + process_name(6, "GPU2"));
  ASSERT_EQ(analysis.kernels.size(), 2U);
  EXPECT_EQ(analysis.kernels[0].name, "gemm");
  EXPECT_EQ(analysis.kernels[1].work, WorkClass::Copy);
  ASSERT_EQ(analysis.breakdowns.size(), 1U);
  EXPECT_EQ(analysis.breakdowns[0].device, 2);
  EXPECT_THAT(ops_of(analysis), ::testing::ElementsAre("launch"));
}

TEST(ForeignSlicesTest, WhereStreamsAreNamedTheOtherLinesOfTheGpuAreSummariesOfThem) {
  const TraceAnalysis analysis =
      analysis_of(process_name(2, "/device:GPU:0") + thread_name(2, 1, "Steps") +
                  thread_name(2, 13, "Stream #13(Compute)") + slice("0", 2, 1, 0, 1000) +
                  slice("fusion", 2, 13, 10, 30) + slice("fusion", 2, 13, 60, 30));
  ASSERT_EQ(analysis.kernels.size(), 1U);
  EXPECT_EQ(analysis.kernels[0].count, 2U);
  EXPECT_EQ(analysis.breakdowns[0].idle_ns, 20'000);
  ASSERT_EQ(analysis.idle.size(), 1U);
  EXPECT_EQ(analysis.idle[0].stream, 13);
}

TEST(ForeignSlicesTest, ARangeAroundWorkIsNotWorkItself) {
  const TraceAnalysis analysis =
      analysis_of(thread_name(0, 7, "stream 7") + slice("forward", 0, 7, 0, 100) +
                  slice("a", 0, 7, 0, 20) + slice("b", 0, 7, 70, 30) + slice("c", 0, 7, 200, 10));
  EXPECT_EQ(analysis.kernels.size(), 3U);
  EXPECT_EQ(analysis.breakdowns[0].compute_ns, 60'000);
}

TEST(ForeignSlicesTest, TwoPiecesAtOneRoundedTimeAreBothWork) {
  const TraceAnalysis analysis = analysis_of(
      process_name(7, "GPU 0") + thread_name(7, 1, "Stream 1") + slice("gemm", 7, 1, 0, 10) +
      slice("add", 7, 1, 0, 10) + slice("mul", 7, 1, 20, 10) + slice("mark", 7, 1, 25, 0));
  std::size_t calls = 0;
  for (const KernelRow& row : analysis.kernels) calls += row.count;
  EXPECT_EQ(calls, 4U);
}

TEST(ForeignSlicesTest, ThreadsThatOnlyMentionAGpuOrAStreamAreTheHosts) {
  for (const char* const name : {"CrGpuMain", "GPU Process", "gpu upload", "cuda-EvtHandlr",
                                 "http stream 3", "Upstream 4", "stream reader"}) {
    const TraceAnalysis analysis =
        analysis_of(thread_name(1, 1, name) + slice("work", 1, 1, 0, 10));
    EXPECT_TRUE(analysis.kernels.empty()) << name;
  }
}

TEST(ForeignSlicesTest, ATraceThatTellsItsKernelsIsBelieved) {
  const TraceAnalysis analysis =
      analysis_of(thread_name(0, 7, "stream 7") + slice("odd", 0, 7, 0, 100, "new_category") +
                  slice("gemm", 0, 7, 10, 20, "kernel"));
  ASSERT_EQ(analysis.kernels.size(), 1U);
  EXPECT_EQ(analysis.kernels[0].name, "gemm");
}

}  // namespace
}  // namespace ridgeline
