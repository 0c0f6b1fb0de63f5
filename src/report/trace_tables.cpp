#include "report/trace_tables.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "core/format.h"
#include "core/text.h"
#include "core/utf8.h"

namespace ridgeline {
namespace {

std::string time_text(double ns) { return format_seconds(Seconds(ns * 1e-9)); }
std::string time_text(std::int64_t ns) { return time_text(static_cast<double>(ns)); }

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "";
}
std::string percent(std::int64_t part, std::int64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string name_cell(const std::string& name, const TraceTableOptions& options) {
  return shortened(printable(with_valid_utf8(name)), options.name_width);
}

template <class Row, class Value>
std::vector<Row> first_by(std::vector<Row> rows, std::size_t top, Value value) {
  std::ranges::stable_sort(rows, std::greater{}, value);
  rows.resize(std::min(top, rows.size()));
  return rows;
}

double order_value(const KernelRow& row, TraceOrder order) {
  switch (order) {
    case TraceOrder::Count:
      return static_cast<double>(row.count);
    case TraceOrder::Mean:
      return row.mean_ns();
    case TraceOrder::Max:
      return static_cast<double>(row.max_ns);
    default:
      return static_cast<double>(row.total_ns);
  }
}

double order_value(const TraceOpRow& row, TraceOrder order) {
  switch (order) {
    case TraceOrder::Count:
      return static_cast<double>(row.calls);
    case TraceOrder::Mean:
      return static_cast<double>(row.host_ns) / static_cast<double>(row.calls);
    case TraceOrder::Total:
      return static_cast<double>(row.host_ns);
    case TraceOrder::Device:
      return static_cast<double>(row.self_device_ns);
    default:
      return static_cast<double>(row.self_host_ns);
  }
}

TitledTable breakdown_table(const TraceAnalysis& analysis, const TraceTableOptions& options) {
  TitledTable out{.id = "breakdown",
                  .title = "Where the device's time went",
                  .note =
                      "Shares of the time between a part's first and last device work. Classes "
                      "overlap; hidden is what ran while something was computed.",
                  .table = {.columns = {{"Part"},
                                        {"Device", true},
                                        {"Host", true},
                                        {"Device span", true},
                                        {"Compute", true},
                                        {"Communication", true},
                                        {"hidden", true},
                                        {"Copy", true},
                                        {"Idle", true},
                                        {"Kernels", true}},
                            .rows = {}}};
  for (const Breakdown& row : analysis.breakdowns) {
    out.table.rows.push_back({name_cell(row.part, options), std::to_string(row.device),
                              row.host_ns > 0 ? time_text(row.host_ns) : "", time_text(row.span_ns),
                              percent(row.compute_ns, row.span_ns),
                              percent(row.communication_ns, row.span_ns),
                              percent(row.communication_hidden_ns, row.communication_ns),
                              percent(row.copy_ns, row.span_ns), percent(row.idle_ns, row.span_ns),
                              std::to_string(row.kernels)});
  }
  return out;
}

TitledTable kernels_table(const TraceAnalysis& analysis, const TraceTableOptions& options) {
  TitledTable out{
      .id = "kernels",
      .title = fmt::format("Kernels and copies ({} different)", analysis.kernels.size()),
      .table = {.columns = {{"Name"},
                            {"Class"},
                            {"Time", true},
                            {"Share", true},
                            {"Count", true},
                            {"Min", true},
                            {"Mean", true},
                            {"Max", true}},
                .rows = {}}};
  const auto value = [&](const KernelRow& row) { return order_value(row, options.order); };
  for (const KernelRow& row : first_by(analysis.kernels, options.top, value)) {
    out.table.rows.push_back({name_cell(row.name, options), std::string(name_of(row.work)),
                              time_text(row.total_ns), percent(row.share, 1.0),
                              std::to_string(row.count), time_text(row.min_ns),
                              time_text(row.mean_ns()), time_text(row.max_ns)});
  }
  return out;
}

TitledTable ops_table(const TraceAnalysis& analysis, const TraceTableOptions& options) {
  TitledTable out{
      .id = "ops",
      .title = fmt::format("Ops and calls on the host ({} different)", analysis.ops.size()),
      .note = "Self: without what is nested in it. Device: work launched within it.",
      .table = {.columns = {{"Name"},
                            {"Self", true},
                            {"Total", true},
                            {"Device self", true},
                            {"Device total", true},
                            {"Calls", true}},
                .rows = {}}};
  const auto value = [&](const TraceOpRow& row) { return order_value(row, options.order); };
  for (const TraceOpRow& row : first_by(analysis.ops, options.top, value)) {
    out.table.rows.push_back({name_cell(row.name, options), time_text(row.self_host_ns),
                              time_text(row.host_ns), time_text(row.self_device_ns),
                              time_text(row.device_ns), std::to_string(row.calls)});
  }
  return out;
}

TitledTable copies_table(const TraceAnalysis& analysis) {
  TitledTable out{.id = "copies",
                  .title = "Copies",
                  .table = {.columns = {{"Direction"},
                                        {"Count", true},
                                        {"Time", true},
                                        {"Bytes", true},
                                        {"Bandwidth", true}},
                            .rows = {}}};
  for (const CopyRow& row : analysis.copies) {
    const auto rate = row.bytes_per_s();
    out.table.rows.push_back(
        {printable(with_valid_utf8(row.direction)), std::to_string(row.count),
         time_text(row.total_ns),
         row.sized > 0 ? format_bytes({static_cast<double>(row.bytes)}) : "not told",
         rate ? fmt::format("{:.2f} GB/s", *rate / 1e9) : ""});
  }
  return out;
}

TitledTable idle_table(const TraceAnalysis& analysis) {
  TitledTable out{
      .id = "idle",
      .title = "Why streams were idle",
      .note =
          "Host wait: asked for after the work before had ended. Kernel wait: queued, and the gap "
          "under 30 µs. Other: queued, waiting for something else.",
      .table = {.columns = {{"Device", true},
                            {"Stream", true},
                            {"Host wait", true},
                            {"Kernel wait", true},
                            {"Other", true},
                            {"Longest queue", true},
                            {"Mean queue", true}},
                .rows = {}}};
  std::map<std::pair<std::int64_t, std::int64_t>, const QueueLength*> queues;
  for (const QueueLength& queue : analysis.queues)
    queues.emplace(std::pair(queue.device, queue.stream), &queue);
  for (const StreamIdle& row : analysis.idle) {
    const auto found = queues.find({row.device, row.stream});
    const QueueLength* const queue = found == queues.end() ? nullptr : found->second;
    out.table.rows.push_back({std::to_string(row.device), std::to_string(row.stream),
                              time_text(row.host_wait_ns), time_text(row.kernel_wait_ns),
                              time_text(row.other_ns), queue ? std::to_string(queue->longest) : "",
                              queue ? fmt::format("{:.1f}", queue->mean_over_time) : ""});
  }
  return out;
}

TitledTable launches_table(const TraceAnalysis& analysis) {
  const LaunchStats& stats = analysis.launches;
  TitledTable out{.id = "launches",
                  .title = "Launches",
                  .table = {.columns = {{"What"}, {"Number", true}}, .rows = {}}};
  if (stats.calls == 0) return out;
  const auto add = [&](std::string what, std::string number) {
    out.table.rows.push_back({std::move(what), std::move(number)});
  };
  add("calls that launched something", std::to_string(stats.calls));
  add("device work they launched", std::to_string(stats.launched));
  if (stats.unmatched > 0)
    add("device work whose launch is not in the trace", std::to_string(stats.unmatched));
  add("work shorter than its own launch call", std::to_string(stats.short_kernels));
  add("launch calls over 50 µs", std::to_string(stats.long_calls));
  add("calls whose work began over 100 µs later", std::to_string(stats.delayed));
  add("time in launch calls", time_text(stats.call_ns));
  if (stats.median_delay_ns)
    add("median delay from return to start", time_text(*stats.median_delay_ns));
  return out;
}

TitledTable waits_table(const TraceAnalysis& analysis) {
  TitledTable out{.id = "host-waits",
                  .title = "Host waits for the device",
                  .note =
                      "No work of the device. Before work: the step launched something later "
                      "and nothing meanwhile, so the wait kept it back.",
                  .table = {.columns = {{"Kind"},
                                        {"Count", true},
                                        {"Time", true},
                                        {"Longest", true},
                                        {"Before work", true},
                                        {"Time before work", true}},
                            .rows = {}}};
  for (const HostWaitRow& row : analysis.waits.rows) {
    out.table.rows.push_back({row.kind, std::to_string(row.count), time_text(row.total_ns),
                              time_text(row.longest_ns),
                              row.before_work ? std::to_string(*row.before_work) : "–",
                              row.before_work_ns ? time_text(*row.before_work_ns) : "–"});
  }
  return out;
}

TitledTable gaps_table(const TraceAnalysis& analysis, const TraceTableOptions& options) {
  TitledTable out{
      .id = "gaps",
      .title = "Longest gaps, all streams idle",
      .table = {.columns = {{"At", true}, {"Length", true}, {"Cause"}, {"After"}, {"Before"}},
                .rows = {}}};
  for (std::size_t i = 0; i < std::min<std::size_t>(analysis.gaps.size(), options.top); ++i) {
    const Gap& gap = analysis.gaps[i];
    const TraceTableOptions narrow{.name_width = options.name_width / 2};
    out.table.rows.push_back({time_text(gap.start_ns), time_text(gap.length_ns),
                              std::string(name_of(gap.cause)), name_cell(gap.before, narrow),
                              name_cell(gap.after, narrow)});
  }
  return out;
}

TitledTable memory_table(const TraceAnalysis& analysis) {
  TitledTable out{.id = "memory",
                  .title = "Memory",
                  .table = {.columns = {{"Device"},
                                        {"Peak", true},
                                        {"At", true},
                                        {"Reserved", true},
                                        {"Changes", true},
                                        {"Counted from"}},
                            .rows = {}}};
  for (const TraceMemoryPeak& row : analysis.memory) {
    out.table.rows.push_back(
        {row.device, format_bytes({static_cast<double>(row.peak_bytes)}), time_text(row.peak_at_ns),
         row.reserved_bytes ? format_bytes({static_cast<double>(*row.reserved_bytes)}) : "",
         std::to_string(row.changes), row.absolute ? "zero" : "the trace's start"});
  }
  return out;
}

}  // namespace

const std::vector<std::string_view>& trace_order_names() {
  static const std::vector<std::string_view> names{"self",  "total", "device",
                                                   "count", "mean",  "max"};
  return names;
}

TraceOrder trace_order(std::string_view word) {
  const auto& names = trace_order_names();
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) throw bad_input(unknown_word("order", word, names));
  return static_cast<TraceOrder>(found - names.begin());
}

std::vector<TitledTable> trace_tables(const TraceAnalysis& analysis,
                                      const TraceTableOptions& options) {
  std::vector<TitledTable> tables{breakdown_table(analysis, options),
                                  kernels_table(analysis, options),
                                  ops_table(analysis, options),
                                  copies_table(analysis),
                                  idle_table(analysis),
                                  launches_table(analysis),
                                  waits_table(analysis),
                                  gaps_table(analysis, options),
                                  memory_table(analysis)};
  std::erase_if(tables, [](const TitledTable& table) { return table.table.rows.empty(); });
  return tables;
}

}  // namespace ridgeline
