#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/csv.h"
#include "report/reader_table.h"
#include "trace/analysis.h"
#include "trace/comparison.h"

namespace ridgeline {

// By what the tables of kernels and ops are ordered; what a table has not counts as its time.
enum class TraceOrder { Self, Total, Device, Count, Mean, Max };
[[nodiscard]] const std::vector<std::string_view>& trace_order_names();  // "self", "total", ...
// Throws Error(BadInput) for another word.
[[nodiscard]] TraceOrder trace_order(std::string_view word);

struct TraceTableOptions {
  std::size_t top = 10;  // rows of the long tables
  TraceOrder order = TraceOrder::Self;
  std::size_t name_width = 60;  // names are cut to this many columns
};

// A table with what it shows, in the order a reader asks.
struct TitledTable {
  std::string id{};
  std::string title{};
  std::string note{};  // a sentence below it; may be empty
  ReaderTable table{};
};

// All tables that have rows.
[[nodiscard]] std::vector<TitledTable> trace_tables(const TraceAnalysis& analysis,
                                                    const TraceTableOptions& options);
// The step in few numbers, then kernels and ops, the largest difference first.
[[nodiscard]] std::vector<TitledTable> comparison_tables(const TraceComparison& change,
                                                         const TraceTableOptions& options);
// "- gone: …", "- new: …", "- was: …" and "- is: …", a line each; empty when all stayed.
[[nodiscard]] std::string changed_findings_text(const TraceComparison& change);
// Several traces side by side: the whole-trace line of each device.
[[nodiscard]] TitledTable side_by_side(const std::vector<TraceAnalysis>& traces);

// "V100, 75718 events in 929.63 ms, rank 1 of 2", and a line for each thing the reader tolerated.
[[nodiscard]] std::vector<std::string> trace_facts(const TraceAnalysis& analysis);

// Every row of every table, a line each, in whole nanoseconds: `table` says of which, and cells
// that it has not are empty.
[[nodiscard]] CsvTable trace_csv(const std::vector<TraceAnalysis>& traces,
                                 const std::optional<TraceComparison>& change);

}  // namespace ridgeline
