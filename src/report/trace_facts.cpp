#include <fmt/format.h>

#include "core/display.h"
#include "core/format.h"
#include "core/utf8.h"
#include "report/trace_tables.h"

namespace ridgeline {
namespace {

std::string safe(const std::string& name) { return printable(with_valid_utf8(name)); }

std::string rank_text(const TraceAnalysis& analysis) {
  if (!analysis.rank) return "";
  return analysis.world_size ? fmt::format("{} of {}", *analysis.rank, *analysis.world_size)
                             : std::to_string(*analysis.rank);
}

std::string share(std::int64_t part, std::int64_t whole) {
  return whole > 0
             ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole))
             : "";
}

}  // namespace

std::vector<std::string> trace_facts(const TraceAnalysis& analysis) {
  const TraceNotes& notes = analysis.notes;
  std::string first;
  for (std::size_t i = 0; i < analysis.devices.size() && i < 1; ++i)
    first += safe(analysis.devices[i]) + ", ";
  if (analysis.devices.size() > 1)
    first = fmt::format("{} devices, the first {}", analysis.devices.size(), first);
  first += fmt::format("{} events over {}, {} read", analysis.events,
                       format_seconds(Seconds(static_cast<double>(analysis.span_ns) * 1e-9)),
                       format_bytes({static_cast<double>(notes.text_bytes)}));
  if (analysis.rank) first += ", rank " + rank_text(analysis);
  std::vector<std::string> lines{first};
  if (notes.stopped) lines.push_back("Not read to the end: " + safe(*notes.stopped));
  const auto count = [&](std::uint64_t number, std::string_view what) {
    if (number > 0) lines.push_back(fmt::format("Left out: {} {}", number, what));
  };
  count(notes.malformed, "damaged or unknown elements");
  count(notes.without_time, "events without a usable time");
  count(notes.unclosed_slices, "slices without begin or end");
  count(notes.too_long, "events longer than 64 MiB");
  count(notes.ops_beyond_limit, "ops beyond the limit of the recording; times are of the others");
  count(notes.allocations_beyond_limit,
        "allocations beyond the limit of the recording; the peak of memory is of the others");
  count(notes.device_beyond_limit,
        "kernels and copies beyond the limit of the recording; times are of the others");
  const bool one = analysis.steps_left_out == 1;
  count(analysis.steps_left_out,
        fmt::format("{} of the trace {}", one ? "step at an end" : "steps at the ends",
                    notes.has_all() ? "that asked for no work" : "of whose work nothing was read"));
  return lines;
}

TitledTable side_by_side(const std::vector<TraceAnalysis>& traces) {
  TitledTable out{.id = "ranks",
                  .title = "Side by side",
                  .note = {},
                  .table = {.columns = {{"Trace"},
                                        {"Rank", true},
                                        {"Device", true},
                                        {"Device span", true},
                                        {"Compute", true},
                                        {"Communication", true},
                                        {"hidden", true},
                                        {"Copy", true},
                                        {"Idle", true},
                                        {"Kernels", true}},
                            .rows = {}}};
  for (const TraceAnalysis& trace : traces) {
    if (trace.breakdowns.empty())
      out.table.rows.push_back(
          {safe(trace.source), rank_text(trace), "none", "", "", "", "", "", "", ""});
    for (const Breakdown& row : trace.breakdowns) {
      if (row.host_ns > 0) continue;  // a step
      out.table.rows.push_back({safe(trace.source), rank_text(trace), std::to_string(row.device),
                                format_seconds(Seconds(static_cast<double>(row.span_ns) * 1e-9)),
                                share(row.compute_ns, row.span_ns),
                                share(row.communication_ns, row.span_ns),
                                share(row.communication_hidden_ns, row.communication_ns),
                                share(row.copy_ns, row.span_ns), share(row.idle_ns, row.span_ns),
                                std::to_string(row.kernels)});
    }
  }
  return out;
}

}  // namespace ridgeline
