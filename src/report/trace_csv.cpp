#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "report/trace_tables.h"
#include "trace/analysis_facts.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

// New columns come last: scripts may count them.
constexpr std::array<std::string_view, 31> kColumns{"trace",
                                                    "table",
                                                    "name",
                                                    "class",
                                                    "count",
                                                    "total_ns",
                                                    "self_ns",
                                                    "device_total_ns",
                                                    "device_self_ns",
                                                    "min_ns",
                                                    "max_ns",
                                                    "rank",
                                                    "device",
                                                    "start_ns",
                                                    "host_ns",
                                                    "span_ns",
                                                    "compute_ns",
                                                    "communication_ns",
                                                    "communication_hidden_ns",
                                                    "copy_ns",
                                                    "copy_hidden_ns",
                                                    "idle_ns",
                                                    "kernels",
                                                    "bytes",
                                                    "before",
                                                    "after",
                                                    "before_ns",
                                                    "after_ns",
                                                    "before_count",
                                                    "after_count",
                                                    "text"};

std::string cell(const std::string& text) { return with_valid_utf8(text); }
std::string cell(std::string_view text) { return std::string(text); }
std::string cell(double value) { return csv_number(value); }
std::string cell(std::int64_t value) { return std::to_string(value); }
std::string cell(std::uint64_t value) { return std::to_string(value); }

// A line with a few of the columns filled.
class Line {
 public:
  Line(const std::string& trace, std::string_view table) : cells_(kColumns.size()) {
    set("trace", trace).set("table", table);
  }
  template <class Value>
  Line& set(std::string_view column, const Value& value) {
    const auto* const found = std::ranges::find(kColumns, column);
    RIDGELINE_CHECK(found != kColumns.end());
    cells_[static_cast<std::size_t>(found - kColumns.begin())] = cell(value);
    return *this;
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(cells_); }

 private:
  std::vector<std::string> cells_;
};

using Lines = std::vector<std::vector<std::string>>;

void add_work(Lines& lines, const TraceAnalysis& trace) {
  for (const KernelRow& row : trace.kernels)
    lines.push_back(Line(trace.source, "kernel")
                        .set("name", row.name)
                        .set("class", name_of(row.work))
                        .set("count", row.count)
                        .set("total_ns", row.total_ns)
                        .set("min_ns", row.min_ns)
                        .set("max_ns", row.max_ns)
                        .take());
  for (const TraceOpRow& row : trace.ops)
    lines.push_back(Line(trace.source, "op")
                        .set("name", row.name)
                        .set("count", row.calls)
                        .set("total_ns", row.host_ns)
                        .set("self_ns", row.self_host_ns)
                        .set("device_total_ns", row.device_ns)
                        .set("device_self_ns", row.self_device_ns)
                        .take());
  for (const CopyRow& row : trace.copies) {
    Line line(trace.source, "copy");
    line.set("name", row.direction).set("count", row.count).set("total_ns", row.total_ns);
    if (row.sized > 0) line.set("bytes", row.bytes);
    lines.push_back(line.take());
  }
}

void add_breakdown(Lines& lines, const TraceAnalysis& trace) {
  for (const Breakdown& row : trace.breakdowns) {
    Line line(trace.source, "breakdown");
    line.set("name", row.part)
        .set("device", row.device)
        .set("span_ns", row.span_ns)
        .set("compute_ns", row.compute_ns)
        .set("communication_ns", row.communication_ns)
        .set("communication_hidden_ns", row.communication_hidden_ns)
        .set("copy_ns", row.copy_ns)
        .set("copy_hidden_ns", row.copy_hidden_ns)
        .set("idle_ns", row.idle_ns)
        .set("kernels", row.kernels);
    if (row.host_ns > 0) line.set("host_ns", row.host_ns);
    if (trace.rank) line.set("rank", *trace.rank);
    lines.push_back(line.take());
  }
}

void add_gaps(Lines& lines, const TraceAnalysis& trace) {
  for (const Gap& gap : trace.gaps)
    lines.push_back(Line(trace.source, "gap")
                        .set("class", name_of(gap.cause))
                        .set("device", gap.device)
                        .set("start_ns", gap.start_ns)
                        .set("total_ns", gap.length_ns)
                        .set("after", gap.before)  // it follows the work that ended before it
                        .set("before", gap.after)
                        .take());
}

void add_findings(Lines& lines, const TraceAnalysis& trace) {
  const ProfileFacts facts = facts_of(trace);
  for (const Finding& finding : findings_of(facts))
    lines.push_back(
        Line(trace.source, "finding").set("name", finding.id).set("text", finding.text).take());
  for (const Target& target : targets_of(facts))
    lines.push_back(
        Line(trace.source, "target").set("name", target.lever).set("text", target.text).take());
}

void add_changes(Lines& lines, const std::string& trace, std::string_view table,
                 const std::vector<ChangeRow>& rows) {
  for (const ChangeRow& row : rows)
    lines.push_back(Line(trace, table)
                        .set("name", row.name)
                        .set("class", name_of(row.kind))
                        .set("before_ns", row.before_ns)
                        .set("after_ns", row.after_ns)
                        .set("before_count", row.before_count)
                        .set("after_count", row.after_count)
                        .take());
}

void add_comparison(Lines& lines, const std::string& trace, const TraceComparison& change) {
  lines.push_back(Line(trace, "change")
                      .set("name", std::string_view(change.per_step ? "step" : "trace"))
                      .set("before_ns", change.before.time_ns)
                      .set("after_ns", change.after.time_ns)
                      .set("before", change.before.bound)
                      .set("after", change.after.bound)
                      .take());
  add_changes(lines, trace, "kernel_change", change.kernels);
  add_changes(lines, trace, "op_change", change.ops);
  add_changes(lines, trace, "op_device_change", change.ops_device);
  for (const FindingChange& one : change.findings)
    lines.push_back(Line(trace, "finding_change")
                        .set("name", one.id)
                        .set("before", one.before)
                        .set("after", one.after)
                        .take());
}

}  // namespace

CsvTable trace_csv(const std::vector<TraceAnalysis>& traces,
                   const std::optional<TraceComparison>& change) {
  CsvTable out{.header = {kColumns.begin(), kColumns.end()}, .rows = {}};
  for (const TraceAnalysis& trace : traces) {
    add_work(out.rows, trace);
    add_breakdown(out.rows, trace);
    add_gaps(out.rows, trace);
    add_findings(out.rows, trace);
  }
  if (change) add_comparison(out.rows, traces.back().source, *change);
  return out;
}

}  // namespace ridgeline
