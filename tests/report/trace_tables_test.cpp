#include "report/trace_tables.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "report/trace_json.h"
#include "report/trace_page.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

TraceAnalysis small_analysis() {
  MadeTrace made;
  made.trace.source = "made.json";
  made.host({.name = "aten::mm", .start = 0, .length = 30'000})
      .host({.name = "aten::add", .start = 40'000, .length = 5'000})
      .host({.name = "aten::add", .start = 50'000, .length = 5'000})
      .launched(1, 10'000, {.name = "bad \xff name\n", .start = 60'000, .length = 8'000})
      .launched(2, 42'000, {.name = "add_kernel", .start = 90'000, .length = 1'000})
      .launched(3, 52'000, {.name = "add_kernel", .start = 95'000, .length = 1'000});
  return analyse(made.trace);
}

const TitledTable& table(const std::vector<TitledTable>& tables, std::string_view id) {
  const auto found = std::ranges::find(tables, id, &TitledTable::id);
  EXPECT_NE(found, tables.end()) << id;
  return *found;
}

TEST(TraceTablesTest, TheOrderDecidesWhichRowsAreShown) {
  const TraceAnalysis analysis = small_analysis();
  const auto first = [&](TraceOrder order, std::string_view id) {
    const auto tables = trace_tables(analysis, {.top = 1, .order = order});
    const auto& rows = table(tables, id).table.rows;
    EXPECT_EQ(rows.size(), 1U);
    return rows.at(0).at(0);
  };
  EXPECT_EQ(first(TraceOrder::Self, "ops"), "aten::mm");
  EXPECT_EQ(first(TraceOrder::Count, "ops"), "cudaLaunchKernel");
  EXPECT_EQ(first(TraceOrder::Count, "kernels"), "add_kernel");
  EXPECT_THAT(first(TraceOrder::Max, "kernels"), HasSubstr("bad"));
}

TEST(TraceTablesTest, EmptyTablesAreLeftOut) {
  EXPECT_TRUE(trace_tables(analyse(Trace{}), {}).empty());
  for (const TitledTable& shown : trace_tables(small_analysis(), {})) {
    EXPECT_FALSE(shown.table.rows.empty()) << shown.id;
    for (const auto& row : shown.table.rows) EXPECT_EQ(row.size(), shown.table.columns.size());
  }
}

TEST(TraceTablesTest, AnUnknownOrderIsRefusedWithTheNearest) {
  EXPECT_EQ(trace_order("device"), TraceOrder::Device);
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)trace_order("devise"); }),
              HasSubstr("did you mean 'device'"));
}

TEST(TraceTablesTest, WhatTheReaderLeftOutIsTold) {
  TraceAnalysis analysis = small_analysis();
  analysis.notes.malformed = 3;
  analysis.notes.stopped = "the text ends early";
  const auto lines = trace_facts(analysis);
  EXPECT_THAT(lines, ::testing::Contains("Left out: 3 damaged or unknown elements"));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("the text ends early")));
}

TEST(TraceJsonTest, NamesThatAreNoUtf8AreMendedAndTimesExact) {
  const Json json = trace_json(small_analysis());
  EXPECT_NO_THROW((void)json.dump());
  EXPECT_EQ(json.at("kernels").at(0).at("total_ns"), 8000);
  EXPECT_EQ(json.at("launches").at("calls"), 3);
}

TEST(TraceJsonTest, WhatAHostOnlyTraceCannotTellHasNoKey) {
  MadeTrace made;
  made.host({.name = "aten::add", .start = 0, .length = 10});
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_FALSE(trace_json(analysis).contains("launches"));
  const Json side = comparison_json(compare(analysis, analysis)).at("before");
  for (const char* const key : {"kernels", "data_wait_ns", "communication_alone_ns", "busy"})
    EXPECT_FALSE(side.contains(key)) << key;
  EXPECT_TRUE(side.at("time_ns").is_number_integer());
}

TEST(TraceCsvTest, EveryTableHasItsRows) {
  TraceAnalysis analysis = small_analysis();
  analysis.waits.rows = {{.kind = "Event Sync", .count = 2, .total_ns = 30, .longest_ns = 20}};
  analysis.memory = {
      {.device = "cuda:0", .changes = 4, .peak_bytes = 1000, .reserved_bytes = 2000}};
  analysis.notes.malformed = 3;
  const CsvTable csv = trace_csv({analysis}, std::nullopt);
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(csv.header, name) - csv.header.begin());
  };
  std::map<std::string, int> tables;
  for (const auto& row : csv.rows) {
    ASSERT_EQ(row.size(), csv.header.size());
    const std::string& kind = row[column("table")];
    ++tables[kind];
    if (kind == "host_wait") {
      EXPECT_EQ(row[column("max_ns")], "20");
      EXPECT_EQ(row[column("before_work_ns")], "") << "not known without steps";
    }
    if (kind == "memory") {
      EXPECT_EQ(row[column("reserved_bytes")], "2000");
    }
  }
  for (const char* const kind : {"kernel", "op", "breakdown", "gap", "idle", "queue", "launch",
                                 "host_wait", "memory", "note", "finding"})
    EXPECT_GT(tables[kind], 0) << kind;
}

TEST(TracePageTest, NothingOfATraceBecomesMarkup) {
  TraceAnalysis analysis = small_analysis();
  analysis.source = "<b>.json";
  analysis.kernels[0].name = "k<\"&>";
  const std::string page = html_page(trace_page({analysis}, std::nullopt, {}), {});
  EXPECT_THAT(page, HasSubstr("k&lt;&quot;&amp;&gt;"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("<b>.json")));
}

TEST(ComparisonTablesTest, TheLargestDifferenceComesFirst) {
  const TraceAnalysis before = small_analysis();
  TraceAnalysis after = before;
  after.kernels[1].total_ns *= 100;
  const auto tables = comparison_tables(compare(before, after), {});
  const auto& rows = table(tables, "kernel-changes").table.rows;
  EXPECT_EQ(rows.at(0).at(0), "add_kernel");
  EXPECT_EQ(rows.at(0).at(1), "slower");
}

TEST(ComparisonTablesTest, TheStepComesFirstAndChangedFindingsLast) {
  TraceComparison change;
  change.per_step = true;
  change.before = {.marks_steps = true,
                   .time_ns = 2e6,
                   .busy = 0.25,
                   .kernels = 10,
                   .bound = "bound by launches"};
  change.after = {.marks_steps = true, .time_ns = 1e6, .busy = 0.75, .kernels = 10};
  change.findings = {{.id = "a", .before = "Old."},
                     {.id = "b", .after = "Fresh."},
                     {.id = "c", .before = "This.", .after = "That."}};
  const auto tables = comparison_tables(change, {});
  ASSERT_EQ(tables.at(0).id, "headline");
  const auto& rows = tables.at(0).table.rows;
  EXPECT_THAT(rows.at(0),
              ::testing::ElementsAre("time", "2.00 ms", "1.00 ms", HasSubstr("1.00 ms"), "0.50×"));
  EXPECT_THAT(rows.at(2),
              ::testing::ElementsAre("GPU utilisation", "25.0 %", "75.0 %", "50.0 %", "3.00×"));
  EXPECT_THAT(rows.back(),
              ::testing::ElementsAre("verdict", "bound by launches", "not known", "", ""));
  EXPECT_EQ(changed_findings_text(change),
            "- gone: Old.\n- new: Fresh.\n- was: This.\n- is: That.\n");
}

TEST(ComparisonTablesTest, WhyVerdictsAndTablesAreMissingStandsBelowTheTraces) {
  TraceComparison change;
  change.before.time_ns = change.after.time_ns = 1e6;
  change.unlike = true;
  EXPECT_THAT(comparison_tables(change, {}).at(0).note, HasSubstr("marks no steps"));
  change.incomplete = true;
  EXPECT_THAT(comparison_tables(change, {}).at(0).note,
              ::testing::AllOf(HasSubstr("marks no steps"), HasSubstr("only a part")));
}

TEST(TraceFactsTest, WhatIsMissingIsLeftOutAndStepsBehindACutAskedForNoOneKnowsWhat) {
  TraceAnalysis trace = small_analysis();
  trace.steps_left_out = 2;
  EXPECT_THAT(trace_facts(trace).back(), HasSubstr("2 steps at the ends of the trace that asked"));
  trace.notes.cut_off = true;
  EXPECT_THAT(trace_facts(trace).back(), HasSubstr("trace of whose work nothing was read"));
  trace.steps_left_out = 0;
  trace.notes.ops_beyond_limit = 12;
  trace.notes.allocations_beyond_limit = 3;
  trace.notes.device_beyond_limit = 4;
  EXPECT_THAT(trace_facts(trace),
              ::testing::IsSupersetOf({HasSubstr("Left out: 12 ops beyond"),
                                       HasSubstr("Left out: 3 allocations beyond"),
                                       HasSubstr("Left out: 4 kernels and copies beyond")}));
  const Json notes = analyses_json({trace}, {}).at("traces").at(0).at("notes");
  EXPECT_EQ(notes.at("ops_beyond_limit"), 12);
  EXPECT_EQ(notes.at("allocations_beyond_limit"), 3);
  EXPECT_EQ(notes.at("device_beyond_limit"), 4);
  EXPECT_EQ(notes.at("cut_off"), true);
}

TEST(SideBySideTest, ATraceWithoutADeviceHasItsLineToo) {
  TraceAnalysis host_only;
  host_only.source = "cpu.json";
  host_only.rank = 1;
  const auto rows = side_by_side({small_analysis(), host_only}).table.rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].at(0), "cpu.json");
  EXPECT_EQ(rows[1].at(1), "1");
  EXPECT_EQ(rows[1].at(2), "none");
  EXPECT_EQ(rows[1].size(), rows[0].size());
}

TEST(TraceCsvTest, EveryTableHasItsLinesAndOnlyItsOwnCells) {
  TraceAnalysis trace = small_analysis();
  trace.rank = 3;
  const CsvTable csv = trace_csv({trace, trace}, compare(trace, trace));
  std::map<std::string, int> tables;
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(csv.header, name) - csv.header.begin());
  };
  for (const auto& row : csv.rows) {
    ASSERT_EQ(row.size(), csv.header.size());
    ++tables[row[column("table")]];
    EXPECT_EQ(row[column("span_ns")].empty(), row[column("table")] != "breakdown");
    EXPECT_EQ(row[column("rank")], row[column("table")] == "breakdown" ? "3" : "");
    EXPECT_EQ(row[column("start_ns")].empty(), row[column("table")] != "gap");
  }
  for (const char* const name : {"kernel", "op", "breakdown", "gap", "finding", "target", "change",
                                 "kernel_change", "op_change", "op_device_change"})
    EXPECT_GT(tables[name], 0) << name;
  EXPECT_EQ(csv.header.at(2), "name") << "scripts count columns";
}

TEST(TraceJsonTest, FindingsTargetsAndWhatTheyStandOnAreInIt) {
  const TraceAnalysis trace = small_analysis();
  const Json json = analyses_json({trace, trace}, compare(trace, trace));
  const Json& one = json.at("traces").at(0);
  EXPECT_EQ(one.at("findings").at(0).at("id"), "top-operations");
  EXPECT_EQ(one.at("steps").at("kernels").at("short"), 3);
  EXPECT_EQ(one.at("steps").at("devices").at(0).at("busy_ns"), 10'000);
  EXPECT_GT(one.at("targets").at(0).at("time_gain"), 0);
  EXPECT_EQ(json.at("comparison").at("ops_device").size(), 2) << "no calls of the runtime";
  EXPECT_TRUE(json.at("comparison").at("findings").empty());
  EXPECT_GT(json.at("comparison").at("before").at("busy"), 0);
}

}  // namespace
}  // namespace ridgeline
