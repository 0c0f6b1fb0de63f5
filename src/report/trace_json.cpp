#include "report/trace_json.h"

#include <algorithm>

#include "core/utf8.h"
#include "report/findings_json.h"
#include "trace/analysis_facts.h"

namespace ridgeline {
namespace {

constexpr int kSchema = 1;

template <class Rows, class Convert>
Json list_of(const Rows& rows, Convert&& convert) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(convert(row));
  return list;
}

Json notes_json(const TraceNotes& notes) {
  Json out{{"malformed", notes.malformed},
           {"without_time", notes.without_time},
           {"unclosed_slices", notes.unclosed_slices},
           {"too_long", notes.too_long},
           {"untimed", notes.untimed},
           {"text_bytes", notes.text_bytes}};
  const auto beyond_limit = [&](const char* key, std::uint64_t count) {
    if (count > 0) out[key] = count;
  };
  beyond_limit("ops_beyond_limit", notes.ops_beyond_limit);
  beyond_limit("allocations_beyond_limit", notes.allocations_beyond_limit);
  beyond_limit("device_beyond_limit", notes.device_beyond_limit);
  if (notes.stopped) out["stopped"] = with_valid_utf8(*notes.stopped);
  if (notes.cut_off) out["cut_off"] = true;
  return out;
}

Json breakdown_json(const Breakdown& row) {
  Json out{{"part", with_valid_utf8(row.part)},
           {"device", row.device},
           {"span_ns", row.span_ns},
           {"compute_ns", row.compute_ns},
           {"communication_ns", row.communication_ns},
           {"copy_ns", row.copy_ns},
           {"idle_ns", row.idle_ns},
           {"communication_hidden_ns", row.communication_hidden_ns},
           {"copy_hidden_ns", row.copy_hidden_ns},
           {"kernels", row.kernels}};
  if (row.host_ns > 0) out["host_ns"] = row.host_ns;
  return out;
}

Json kernel_json(const KernelRow& row) {
  return {{"name", with_valid_utf8(row.name)},
          {"class", name_of(row.work)},
          {"count", row.count},
          {"total_ns", row.total_ns},
          {"min_ns", row.min_ns},
          {"mean_ns", row.mean_ns()},
          {"max_ns", row.max_ns},
          {"share", row.share}};
}

Json op_json(const TraceOpRow& row) {
  return {{"name", with_valid_utf8(row.name)},
          {"calls", row.calls},
          {"host_ns", row.host_ns},
          {"self_host_ns", row.self_host_ns},
          {"device_ns", row.device_ns},
          {"self_device_ns", row.self_device_ns}};
}

Json copy_json(const CopyRow& row) {
  Json out{{"direction", with_valid_utf8(row.direction)},
           {"count", row.count},
           {"total_ns", row.total_ns}};
  if (row.sized > 0) out["bytes"] = row.bytes;
  if (const auto rate = row.bytes_per_s()) out["bytes_per_s"] = *rate;
  return out;
}

Json idle_json(const StreamIdle& row) {
  return {{"device", row.device},
          {"stream", row.stream},
          {"host_wait_ns", row.host_wait_ns},
          {"kernel_wait_ns", row.kernel_wait_ns},
          {"other_ns", row.other_ns}};
}

Json queue_json(const QueueLength& row) {
  return {{"device", row.device},
          {"stream", row.stream},
          {"changes", row.changes},
          {"longest", row.longest},
          {"mean_at_changes", row.mean_at_changes},
          {"mean_over_time", row.mean_over_time}};
}

template <class Value>
void set_known(Json& object, const char* key, const std::optional<Value>& value) {
  if (value) object[key] = *value;
}

Json launches_json(const LaunchStats& stats) {
  Json out{{"calls", stats.calls},           {"launched", stats.launched},
           {"unmatched", stats.unmatched},   {"short_kernels", stats.short_kernels},
           {"long_calls", stats.long_calls}, {"delayed", stats.delayed},
           {"call_ns", stats.call_ns}};
  set_known(out, "median_delay_ns", stats.median_delay_ns);
  set_known(out, "max_delay_ns", stats.max_delay_ns);
  return out;
}

Json wait_json(const HostWaitRow& row) {
  Json out{{"kind", row.kind},
           {"count", row.count},
           {"total_ns", row.total_ns},
           {"longest_ns", row.longest_ns}};
  set_known(out, "before_work", row.before_work);
  set_known(out, "before_work_ns", row.before_work_ns);
  return out;
}

Json gap_json(const Gap& gap) {
  return {{"device", gap.device},
          {"start_ns", gap.start_ns},
          {"length_ns", gap.length_ns},
          {"after", with_valid_utf8(gap.before)},
          {"before", with_valid_utf8(gap.after)},
          {"cause", name_of(gap.cause)}};
}

Json memory_json(const TraceMemoryPeak& row) {
  Json out{{"device", row.device},
           {"peak_bytes", row.peak_bytes},
           {"peak_at_ns", row.peak_at_ns},
           {"changes", row.changes},
           {"absolute", row.absolute}};
  if (row.reserved_bytes) out["reserved_bytes"] = *row.reserved_bytes;
  return out;
}

Json steps_json(const TraceAnalysis& analysis) {
  const StepWork& work = analysis.in_steps;
  const auto device_json = [&](const DeviceStepWork& row) {
    Json device{{"device", row.device},
                {"busy_ns", row.busy_ns},
                {"communication_ns", row.communication_ns},
                {"communication_alone_ns", row.communication_alone_ns}};
    const auto idle = std::ranges::find(analysis.step_idle, row.device, &StepIdle::device);
    if (idle == analysis.step_idle.end() || idle->launched == 0) return device;
    device["queued_idle_ns"] = idle->queued_ns;
    device["host_wait_idle_ns"] = idle->in_wait_ns;
    return device;
  };
  Json out{{"count", analysis.steps.size()},
           {"left_out", analysis.steps_left_out},
           {"time_ns", work.time_ns},
           {"devices", list_of(work.devices, device_json)}};
  if (work.devices.empty() && work.host.communication_ns > 0)
    out["host"] = {{"communication_ns", work.host.communication_ns},
                   {"communication_alone_ns", work.host.communication_alone_ns}};
  if (work.kernels.count > 0)
    out["kernels"] = {{"count", work.kernels.count},
                      {"distinct", work.kernels.distinct},
                      {"short", work.kernels.short_ones},
                      {"median_ns", work.kernels.median_ns}};
  return out;
}

Json figures_json(const StepFigures& figures) {
  Json out{{"marks_steps", figures.marks_steps}, {"time_ns", whole_ns(figures.time_ns)}};
  set_known(out, "kernels", figures.kernels);
  if (figures.data_wait_ns) out["data_wait_ns"] = whole_ns(*figures.data_wait_ns);
  if (figures.communication_alone_ns)
    out["communication_alone_ns"] = whole_ns(*figures.communication_alone_ns);
  set_known(out, "busy", figures.busy);
  if (!figures.bound.empty()) out["verdict"] = figures.bound;
  if (!figures.target.empty()) out["first_target"] = figures.target;
  return out;
}

Json finding_change_json(const FindingChange& change) {
  Json out{{"id", change.id}};
  if (!change.before.empty()) out["before"] = with_valid_utf8(change.before);
  if (!change.after.empty()) out["after"] = with_valid_utf8(change.after);
  return out;
}

Json change_json(const ChangeRow& row) {
  return {{"name", with_valid_utf8(row.name)},    {"change", name_of(row.kind)},
          {"before_ns", whole_ns(row.before_ns)}, {"after_ns", whole_ns(row.after_ns)},
          {"before_count", row.before_count},     {"after_count", row.after_count}};
}

}  // namespace

Json trace_json(const TraceAnalysis& analysis) {
  const ProfileFacts facts = facts_of(analysis);
  Json out{{"source", with_valid_utf8(analysis.source)},
           {"events", analysis.events},
           {"span_ns", analysis.span_ns},
           {"notes", notes_json(analysis.notes)},
           {"devices", analysis.devices},
           {"steps", steps_json(analysis)},
           {"breakdown", list_of(analysis.breakdowns, breakdown_json)},
           {"kernels", list_of(analysis.kernels, kernel_json)},
           {"ops", list_of(analysis.ops, op_json)},
           {"copies", list_of(analysis.copies, copy_json)},
           {"idle", list_of(analysis.idle, idle_json)},
           {"queues", list_of(analysis.queues, queue_json)},
           {"host_waits", list_of(analysis.waits.rows, wait_json)},
           {"gaps", list_of(analysis.gaps, gap_json)},
           {"memory", list_of(analysis.memory, memory_json)},
           {"findings", findings_json(facts)},
           {"targets", targets_json(facts)}};
  if (!analysis.breakdowns.empty()) out["launches"] = launches_json(analysis.launches);
  if (analysis.rank) out["rank"] = *analysis.rank;
  if (analysis.world_size) out["world_size"] = *analysis.world_size;
  return out;
}

Json comparison_json(const TraceComparison& change) {
  return {{"per_step", change.per_step},
          {"before_steps", change.before_steps},
          {"after_steps", change.after_steps},
          {"before", figures_json(change.before)},
          {"after", figures_json(change.after)},
          {"kernels", list_of(change.kernels, change_json)},
          {"ops", list_of(change.ops, change_json)},
          {"ops_device", list_of(change.ops_device, change_json)},
          {"findings", list_of(change.findings, finding_change_json)}};
}

Json analyses_json(const std::vector<TraceAnalysis>& traces,
                   const std::optional<TraceComparison>& change) {
  Json out{{"schema", kSchema}, {"traces", list_of(traces, trace_json)}};
  if (change) out["comparison"] = comparison_json(*change);
  return out;
}

}  // namespace ridgeline
