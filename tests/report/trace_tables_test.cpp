#include "report/trace_tables.h"

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
  EXPECT_EQ(tables.at(0).table.rows.at(0).at(0), "add_kernel");
  EXPECT_EQ(tables.at(0).table.rows.at(0).at(1), "slower");
}

}  // namespace
}  // namespace ridgeline
