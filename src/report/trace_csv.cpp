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
constexpr std::array<std::string_view, 41> kColumns{"trace",
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
                                                    "text",
                                                    "stream",
                                                    "host_wait_ns",
                                                    "kernel_wait_ns",
                                                    "other_ns",
                                                    "longest",
                                                    "mean_at_changes",
                                                    "mean_over_time",
                                                    "before_work",
                                                    "before_work_ns",
                                                    "reserved_bytes"};

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
  template <class Value>
  Line& set(std::string_view column, const std::optional<Value>& value) {
    return value ? set(column, *value) : *this;
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
    lines.push_back(line.set("rank", trace.rank).take());
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

void add_streams(Lines& lines, const TraceAnalysis& trace) {
  for (const StreamIdle& row : trace.idle)
    lines.push_back(Line(trace.source, "idle")
                        .set("device", row.device)
                        .set("stream", row.stream)
                        .set("host_wait_ns", row.host_wait_ns)
                        .set("kernel_wait_ns", row.kernel_wait_ns)
                        .set("other_ns", row.other_ns)
                        .take());
  for (const QueueLength& row : trace.queues)
    lines.push_back(Line(trace.source, "queue")
                        .set("device", row.device)
                        .set("stream", row.stream)
                        .set("count", row.changes)
                        .set("longest", row.longest)
                        .set("mean_at_changes", row.mean_at_changes)
                        .set("mean_over_time", row.mean_over_time)
                        .take());
}

// A line a figure, under the names that the JSON has for them.
void add_launches(Lines& lines, const TraceAnalysis& trace) {
  if (trace.breakdowns.empty()) return;
  const LaunchStats& stats = trace.launches;
  const auto add = [&](std::string_view name, std::string_view column, const auto& value) {
    lines.push_back(Line(trace.source, "launch").set("name", name).set(column, value).take());
  };
  lines.push_back(Line(trace.source, "launch")
                      .set("name", std::string_view("calls"))
                      .set("count", stats.calls)
                      .set("total_ns", stats.call_ns)
                      .take());
  add("launched", "count", stats.launched);
  add("unmatched", "count", stats.unmatched);
  add("short_kernels", "count", stats.short_kernels);
  add("long_calls", "count", stats.long_calls);
  add("delayed", "count", stats.delayed);
  if (stats.median_delay_ns) add("median_delay", "total_ns", *stats.median_delay_ns);
  if (stats.max_delay_ns) add("max_delay", "total_ns", *stats.max_delay_ns);
}

void add_waits(Lines& lines, const TraceAnalysis& trace) {
  for (const HostWaitRow& row : trace.waits.rows)
    lines.push_back(Line(trace.source, "host_wait")
                        .set("name", row.kind)
                        .set("count", row.count)
                        .set("total_ns", row.total_ns)
                        .set("max_ns", row.longest_ns)
                        .set("before_work", row.before_work)
                        .set("before_work_ns", row.before_work_ns)
                        .take());
}

void add_memory(Lines& lines, const TraceAnalysis& trace) {
  for (const TraceMemoryPeak& row : trace.memory)
    lines.push_back(Line(trace.source, "memory")
                        .set("name", row.device)
                        .set("class", std::string_view(row.absolute ? "absolute" : "since start"))
                        .set("count", row.changes)
                        .set("bytes", row.peak_bytes)
                        .set("start_ns", row.peak_at_ns)
                        .set("reserved_bytes", row.reserved_bytes)
                        .take());
}

// What was left out; a line for each kind of which there was any.
void add_notes(Lines& lines, const TraceAnalysis& trace) {
  const TraceNotes& notes = trace.notes;
  const auto add = [&](std::string_view name, std::uint64_t count) {
    if (count > 0)
      lines.push_back(Line(trace.source, "note").set("name", name).set("count", count).take());
  };
  add("malformed", notes.malformed);
  add("without_time", notes.without_time);
  add("unclosed_slices", notes.unclosed_slices);
  add("too_long", notes.too_long);
  add("untimed", notes.untimed);
  add("steps_left_out", trace.steps_left_out);
  add("ops_beyond_limit", notes.ops_beyond_limit);
  add("allocations_beyond_limit", notes.allocations_beyond_limit);
  add("device_beyond_limit", notes.device_beyond_limit);
  if (notes.stopped)
    lines.push_back(Line(trace.source, "note")
                        .set("name", std::string_view("stopped"))
                        .set("text", *notes.stopped)
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
                        .set("before_ns", whole_ns(row.before_ns))
                        .set("after_ns", whole_ns(row.after_ns))
                        .set("before_count", row.before_count)
                        .set("after_count", row.after_count)
                        .take());
}

void add_comparison(Lines& lines, const std::string& trace, const TraceComparison& change) {
  lines.push_back(Line(trace, "change")
                      .set("name", std::string_view(change.per_step ? "step" : "trace"))
                      .set("before_ns", whole_ns(change.before.time_ns))
                      .set("after_ns", whole_ns(change.after.time_ns))
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
    add_streams(out.rows, trace);
    add_launches(out.rows, trace);
    add_waits(out.rows, trace);
    add_memory(out.rows, trace);
    add_notes(out.rows, trace);
    add_findings(out.rows, trace);
  }
  if (change) add_comparison(out.rows, traces.back().source, *change);
  return out;
}

}  // namespace ridgeline
