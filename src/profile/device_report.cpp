#include "profile/device_report.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/table.h"
#include "report/html_text.h"
#include "report/trace_json.h"
#include "trace/intervals.h"

namespace ridgeline {
namespace {

using nlohmann::json;

EventKind kind_of(DeviceRecordKind kind) {
  switch (kind) {
    case DeviceRecordKind::Copy:
      return EventKind::Memcpy;
    case DeviceRecordKind::Set:
      return EventKind::Memset;
    case DeviceRecordKind::Kernel:
    case DeviceRecordKind::Replay:
      break;
  }
  return EventKind::Kernel;
}

// The host's waits, each with the op it was made in, so that it can be named.
void add_waits(const Recording& recording, EventTable& events, std::uint32_t host) {
  std::map<std::uint32_t, TimeSpan> waiting;  // by op
  for (const SyncRecord& sync : recording.syncs) {
    const auto [span, fresh] =
        waiting.try_emplace(sync.external_id, TimeSpan{.start_ns = sync.start, .end_ns = sync.end});
    if (!fresh) span->second.end_ns = std::max(span->second.end_ns, sync.end);
    events.add({.kind = EventKind::Sync,
                .name = events.names.number_of(name_of(sync.kind)),
                .track = events.track_of({.device = true, .process = sync.device, .thread = -1}),
                .start_ns = sync.start,
                .duration_ns = sync.end - sync.start,
                .correlation = sync.correlation,
                .external = sync.external_id});
  }
  if (waiting.empty()) return;
  for (const OpRecord& op : recording.ops) {
    const auto waits = waiting.find(op.id);
    if (!is_op(op.kind) || waits == waiting.end()) continue;
    // An op of another step than its waits stands where those are.
    const TimeSpan span = recording.device_steps.empty()
                              ? TimeSpan{.start_ns = op.start, .end_ns = op.end}
                              : waits->second;
    events.add({.kind = EventKind::CpuOp,
                .name = events.names.number_of(recording.name(op.name)),
                .track = host,
                .start_ns = span.start_ns,
                .duration_ns = span.end_ns - span.start_ns,
                .external = op.id});
  }
}

std::string seconds_cell(std::int64_t nanoseconds) {
  return csv_number(static_cast<double>(nanoseconds) * 1e-9);
}

}  // namespace

EventTable device_events(const Recording& recording) {
  EventTable events;
  const std::uint32_t host = events.track_of({});
  for (const RecordedStep& step : recording.steps_of_device())
    events.add({.kind = EventKind::UserAnnotation,
                .name = events.names.number_of(fmt::format("ProfilerStep#{}", step.number)),
                .track = host,
                .start_ns = step.start,
                .duration_ns = step.end - step.start});
  const std::uint32_t launch = events.names.number_of("launch");
  std::set<std::uint32_t> launched;  // a graph's nodes share their launch
  for (const DeviceRecord& work : recording.device) {
    events.add(
        {.kind = kind_of(work.kind),
         .name = events.names.number_of(work.name),
         .track = events.track_of({.device = true, .process = work.device, .thread = work.stream}),
         .start_ns = work.start,
         .duration_ns = work.end - work.start,
         .correlation = work.correlation,
         .external = work.external_id});
    if (work.kind == DeviceRecordKind::Copy || work.kind == DeviceRecordKind::Set)
      events.set_bytes(static_cast<std::int64_t>(work.bytes));
    if (work.launch == 0 || work.correlation == 0 || !launched.insert(work.correlation).second)
      continue;
    events.add({.kind = EventKind::Runtime,
                .name = launch,
                .track = host,
                .start_ns = work.launch,
                .duration_ns = work.launch_end - work.launch,
                .correlation = work.correlation});
  }
  add_waits(recording, events, host);
  return events;
}

std::optional<DeviceReport> device_report(const Recording& recording) {
  if (recording.device.empty()) return std::nullopt;
  const Trace trace{.events = device_events(recording)};
  const DeviceWork work(trace.events);
  DeviceReport report{.analysis = analyse(trace),
                      .gaps = longest_gaps(trace.events, work, kGapsWritten)};
  report.analysis.kernels.clear();
  report.analysis.ops.clear();
  return report;
}

std::vector<TitledTable> device_tables(const DeviceReport& report, std::size_t top) {
  return trace_tables(report.analysis, {.top = top});
}

std::string to_text(const DeviceReport& report, std::size_t top) {
  std::string text;
  for (TitledTable& titled : device_tables(report, top)) {
    Table table(std::move(titled.table.columns));
    for (auto& cells : titled.table.rows) table.add(std::move(cells));
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", titled.title, table.to_text());
  }
  return text;
}

std::vector<Section> device_sections(const DeviceReport& report, std::size_t top) {
  std::vector<Section> sections;
  for (const TitledTable& table : device_tables(report, top)) {
    std::string body = html_table(table.table);
    if (!table.note.empty()) body += "<p class=\"note\">" + html_escape(table.note) + "</p>\n";
    sections.push_back(
        {.id = table.id, .title = table.title, .body = std::move(body), .charts = {}});
  }
  return sections;
}

CsvTable copies_csv(const DeviceReport& report) {
  CsvTable csv{.header = {"direction", "count", "total_s", "bytes", "bytes_per_s"}, .rows = {}};
  for (const CopyRow& row : report.analysis.copies)
    csv.rows.push_back({row.direction, std::to_string(row.count), seconds_cell(row.total_ns),
                        row.sized > 0 ? std::to_string(row.bytes) : "",
                        csv_number(row.bytes_per_s())});
  return csv;
}

CsvTable gaps_csv(const DeviceReport& report) {
  CsvTable csv{.header = {"device", "start_s", "length_s", "cause", "after", "before"}, .rows = {}};
  for (const Gap& gap : report.gaps)
    csv.rows.push_back({std::to_string(gap.device), seconds_cell(gap.start_ns),
                        seconds_cell(gap.length_ns), std::string(name_of(gap.cause)), gap.before,
                        gap.after});
  return csv;
}

json device_json(const DeviceReport& report) {
  const json all = trace_json(report.analysis);
  json object;
  for (const char* key :
       {"breakdown", "copies", "idle", "queues", "launches", "host_waits", "gaps"})
    object[key] = all.at(key);
  return object;
}

}  // namespace ridgeline
