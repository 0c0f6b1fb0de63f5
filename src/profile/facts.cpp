#include "profile/facts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include "profile/device_report.h"
#include "stats/summary.h"
#include "trace/analysis_facts.h"
#include "trace/intervals.h"
#include "trace/module_kind.h"

namespace ridgeline {
namespace {

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

// What other threads of the host did beside the step takes none of its time.
bool counts(const Recording& recording, const OpTotal& total) {
  return is_op(total.kind) && (!recording.device.empty() || !total.beside);
}

bool leaves_threads_out(const Recording& recording) {
  return std::ranges::any_of(recording.totals, [&](const OpTotal& total) {
    return is_op(total.kind) && !counts(recording, total) && total.self > 0;
  });
}

// What an optimizer is made of are no products and no copies of the model.
OpKind kind_of(const Recording& recording, const OpTotal& total) {
  const OpKind kind = kind_of_op(recording.name(total.name), recording.name(total.module));
  const bool optimizes = total.phase == StepPhase::Optimizer && kind != OpKind::Communication;
  return optimizes ? OpKind::Optimizer : kind;
}

// The ops of one step: a name once for each kind that it had, as the same product may be a part of
// an attention and a layer of its own.
std::vector<OpFact> ops_of(const Recording& recording) {
  const bool device = !recording.device.empty();
  const auto steps = static_cast<double>(recording.steps.size());
  std::map<std::pair<NameId, OpKind>, OpFact> by_kind;
  for (const OpTotal& total : recording.totals) {
    if (!counts(recording, total)) continue;
    const std::string& name = recording.name(total.name);
    const OpKind kind = kind_of(recording, total);
    OpFact& fact =
        by_kind.try_emplace({total.name, kind}, OpFact{.name = name, .kind = kind}).first->second;
    fact.time += seconds(device ? total.device_self : total.self) / steps;
    fact.calls += static_cast<double>(total.calls) / steps;
  }
  std::vector<OpFact> ops;
  for (auto& [key, fact] : by_kind) ops.push_back(std::move(fact));
  return ops;
}

// A replayed graph's frames are those of its capture.
bool runs_backward(const Recording& recording) {
  const auto backward = [](const auto& frame) {
    return frame.kind == FrameKind::Backward || frame.phase == StepPhase::Backward;
  };
  return std::ranges::any_of(recording.totals, backward) ||
         std::ranges::any_of(recording.captured, backward);
}

std::optional<ModuleShares> module_shares(const Recording& recording) {
  const bool device = !recording.device.empty();
  Nanoseconds all = 0;
  Nanoseconds attention = 0;
  Nanoseconds normalisation = 0;
  bool known = false;
  for (const OpTotal& total : recording.totals) {
    if (!counts(recording, total)) continue;
    const Nanoseconds time = device ? total.device_self : total.self;
    const std::string& module = recording.name(total.module);
    all += time;
    known = known || !module.empty();
    if (within_attention(module)) attention += time;
    if (is_normalisation(module)) normalisation += time;
  }
  if (!known || all <= 0) return std::nullopt;
  const auto whole = static_cast<double>(all);
  return ModuleShares{.attention = static_cast<double>(attention) / whole,
                      .normalisation = static_cast<double>(normalisation) / whole};
}

Seconds mean_time(const std::vector<RecordedStep>& steps) {
  Nanoseconds sum = 0;
  for (const RecordedStep& step : steps) sum += step.end - step.start;
  return seconds(sum) / static_cast<double>(steps.size());
}

template <class Records>
Intervals times_of(const Records& records) {
  std::vector<TimeSpan> spans;
  for (const auto& record : records)
    spans.push_back({.start_ns = record.start, .end_ns = record.end});
  return merged(std::move(spans));
}

// Absent where only whole graphs were seen.
std::optional<KernelFacts> kernels_of(const Recording& recording) {
  KernelFacts facts;
  std::set<std::string_view> names;
  std::vector<Seconds> times;
  for (const DeviceRecord& record : recording.device) {
    if (record.kind != DeviceRecordKind::Kernel) continue;
    names.insert(record.name);
    times.push_back(seconds(record.end - record.start));
    if (times.back() < kShortKernel) ++facts.short_ones;
  }
  if (times.empty()) return std::nullopt;
  const auto steps = static_cast<double>(recording.steps.size());
  facts.count = static_cast<double>(times.size()) / steps;
  facts.short_ones /= steps;
  facts.distinct = static_cast<double>(names.size());
  facts.median = summarise(times).median;
  return facts;
}

std::optional<CopyFacts> copies_of(const Recording& recording, std::string_view direction) {
  CopyFacts facts;
  const auto steps = static_cast<double>(recording.steps.size());
  std::map<std::uint32_t, std::vector<TimeSpan>> by_device;
  for (const DeviceRecord& record : recording.device) {
    if (record.kind != DeviceRecordKind::Copy || record.name.find(direction) == std::string::npos)
      continue;
    by_device[record.device].push_back({.start_ns = record.start, .end_ns = record.end});
    facts.time += seconds(record.end - record.start) / steps;
    facts.bytes = facts.bytes + Bytes{static_cast<double>(record.bytes) / steps};
    facts.count += 1 / steps;
  }
  for (auto& [device, spans] : by_device)
    facts.merged = std::max(facts.merged, seconds(total_ns(merged(std::move(spans)))) / steps);
  return facts.count > 0 ? std::optional(facts) : std::nullopt;
}

// By the analysis of a trace, of the host's waits and of why the device was idle.
void add_waits(ProfileFacts& facts, const Recording& recording) {
  const EventTable events = device_events(recording);
  const DeviceWork work(events);
  const std::vector<TraceStep> steps = trace_steps(events);
  const HostWaits waits = host_waits(events, work, steps);
  facts.waits = wait_facts(waits, facts.steps);
  const std::vector<StepIdle> idle = step_idle(events, work, steps, waits.all);
  const auto busiest = std::ranges::max_element(idle, {}, &StepIdle::work_ns);
  if (busiest != idle.end()) facts.idle = idle_facts(idle, busiest->device, facts.steps);
}

// Of the recorded steps and no others: those before them started the loader and the allocators.
// Where sides were recorded apart, of those of the device, that may have worked during a wait.
std::optional<DataFacts> data_of(const Recording& recording) {
  if (recording.data_waits.empty()) return std::nullopt;
  const std::vector<RecordedStep>& of_device = recording.steps_of_device();
  Nanoseconds waited = 0;
  for (const DataWait& wait : recording.data_waits) {
    if (wait.start >= of_device.front().start) waited += wait.end - wait.start;
  }
  const auto steps = static_cast<double>(of_device.size());
  const Seconds recorded = mean_time(of_device);
  const Seconds wait = seconds(waited) / steps;
  const Nanoseconds covered =
      overlap_ns(times_of(recording.data_waits), times_of(recording.device));
  return DataFacts{.wait = wait, .compute = recorded - wait, .covered = seconds(covered) / steps};
}

bool has_fused_attention(const std::vector<OpFact>& ops) {
  return std::ranges::any_of(ops, [](const OpFact& op) {
    return std::ranges::any_of(
        std::array<std::string_view, 3>{"flash_attention", "efficient_attention",
                                        "cudnn_attention"},
        [&](std::string_view part) { return op.name.find(part) != std::string::npos; });
  });
}

std::optional<MemoryFacts> memory_of(const ProfileResult& result, MemoryFacts facts) {
  // Without records it may still be known how much there was; a part of them tells no peak.
  if (!result.memory || result.memory->lost > 0)
    return facts.peak.count > 0 ? std::optional(facts) : std::nullopt;
  facts.of_process = false;
  const auto bytes = [](std::int64_t count) { return Bytes{static_cast<double>(count)}; };
  const auto steps = static_cast<double>(result.recording.steps.size());
  const MemoryCurve& curve = result.memory->main;
  const MemoryPeak& peak = curve.peak;
  facts.peak = bytes(peak.level.total());
  if (peak.phase != StepPhase::None) facts.phase = name_of(peak.phase);
  facts.module = peak.module;
  facts.op = peak.op;
  facts.parameters = bytes(peak.level.of(MemoryKind::Parameter));
  facts.gradients = bytes(peak.level.of(MemoryKind::Gradient));
  facts.activations = bytes(peak.level.of(MemoryKind::Activation));
  facts.optimizer_state = bytes(peak.level.of(MemoryKind::OptimizerState));
  facts.temporaries = bytes(peak.level.of(MemoryKind::Temporary));
  facts.inputs = bytes(peak.level.of(MemoryKind::Input));
  facts.buffers = bytes(peak.level.of(MemoryKind::Buffer));
  facts.other = bytes(peak.level.of(MemoryKind::Other));
  facts.reserved = bytes(curve.allocator_reserved.value_or(0));
  facts.allocations = static_cast<double>(curve.allocations) / steps;
  facts.small_allocations = static_cast<double>(curve.small_allocations) / steps;
  facts.before_forward = bytes(curve.before_forward.value_or(0));
  facts.after_forward = bytes(curve.after_forward.value_or(0));
  return facts;
}

// Room that is set aside for records is touched only as they come, so it is they that cost memory.
Bytes record_memory(const Recording& recording) {
  std::size_t bytes = recording.ops.size() * sizeof(OpRecord) +
                      recording.memory.size() * sizeof(MemoryRecord) +
                      recording.syncs.size() * sizeof(SyncRecord);
  for (const DeviceRecord& record : recording.device) bytes += sizeof record + record.name.size();
  return {static_cast<double>(bytes)};
}

ProfilingCost cost_facts(const ProfileCost& cost, const Recording& recording) {
  ProfilingCost facts{.time_ratio = cost.ratio, .memory = record_memory(recording)};
  if (!cost.interval) return facts;
  facts.low = cost.interval->low;
  facts.high = cost.interval->high;
  return facts;
}

DriverFacts driver_facts(const Utilisation& seen) {
  DriverFacts facts{.why_absent = seen.why_absent,
                    .sm_clock_mhz = seen.sm_clock_mhz,
                    .power_w = seen.power_w,
                    .throttle_reasons = seen.throttle_reasons};
  if (seen.gpu_percent) facts.utilisation = *seen.gpu_percent / 100;
  return facts;
}

Seconds step_time(const ProfileResult& result) {
  if (result.cost) return summarise(result.cost->without).median;
  std::vector<Seconds> times;
  for (const RecordedStep& step : result.recording.steps)
    times.push_back(seconds(step.end - step.start));
  return summarise(times).median;
}

}  // namespace

ProfileFacts facts_of(const ProfileResult& result, ProfileFacts known) {
  const Recording& recording = result.recording;
  if (recording.steps.empty()) return known;
  known.steps = static_cast<double>(recording.steps.size());
  known.step = step_time(result);
  known.recorded = mean_time(recording.steps_of_device());
  known.data = data_of(recording);
  known.ops = ops_of(recording);
  known.leaves_threads_out = leaves_threads_out(recording);
  known.modules = module_shares(recording);
  known.runs_backward = runs_backward(recording);
  known.fused_attention = known.fused_attention || has_fused_attention(known.ops);
  known.memory = memory_of(result, known.memory.value_or(MemoryFacts{}));
  if (result.utilisation) known.driver = driver_facts(*result.utilisation);
  if (const ProfileCost* const cost = dearest_cost(result))
    known.cost = cost_facts(*cost, recording);
  if (recording.device.empty()) return known;
  known.kernels = kernels_of(recording);
  known.to_device = copies_of(recording, "HtoD");
  known.on_device = copies_of(recording, "DtoD");
  add_waits(known, recording);
  // Of the step as it is without the profiler: that makes the host slower, hardly the device.
  if (known.step > Seconds{0})
    known.busy =
        std::min(1.0, seconds(total_ns(times_of(recording.device))) / known.steps / known.step);
  return known;
}

}  // namespace ridgeline
