#include "profile/facts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include "profile/profile_json.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

Seconds seconds(Nanoseconds time) { return std::chrono::nanoseconds(time); }

// By name, of one step.
std::vector<OpFact> ops_of(const Recording& recording) {
  const bool device = !recording.device.empty();
  const auto steps = static_cast<double>(recording.steps.size());
  std::map<NameId, OpFact> by_name;
  for (const OpTotal& total : recording.totals) {
    if (!is_op(total.kind) || (!device && total.beside)) continue;
    OpFact& fact = by_name[total.name];
    fact.time += seconds(device ? total.device_self : total.self) / steps;
    fact.calls += static_cast<double>(total.calls) / steps;
  }
  std::vector<OpFact> ops;
  for (auto& [name, fact] : by_name) {
    fact.name = recording.name(name);
    fact.kind = kind_of_op(fact.name);
    ops.push_back(std::move(fact));
  }
  return ops;
}

// Time in which any record ran: they overlap on several streams.
Nanoseconds busy_time(const Recording& recording) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans;
  for (const DeviceRecord& record : recording.device) spans.emplace_back(record.start, record.end);
  std::ranges::sort(spans);
  Nanoseconds busy = 0;
  Nanoseconds reached = 0;
  for (const auto& [start, end] : spans) {
    busy += std::max<Nanoseconds>(0, end - std::max(start, reached));
    reached = std::max(reached, end);
  }
  return busy;
}

KernelFacts kernels_of(const Recording& recording) {
  KernelFacts facts;
  std::set<std::string_view> names;
  std::vector<Seconds> times;
  for (const DeviceRecord& record : recording.device) {
    if (record.kind != DeviceRecordKind::Kernel) continue;
    names.insert(record.name);
    times.push_back(seconds(record.end - record.start));
    if (times.back() < kShortKernel) ++facts.short_ones;
  }
  const auto steps = static_cast<double>(recording.steps.size());
  facts.count = static_cast<double>(times.size()) / steps;
  facts.short_ones /= steps;
  facts.distinct = static_cast<double>(names.size());
  if (!times.empty()) facts.median = summarise(times).median;
  return facts;
}

std::optional<CopyFacts> copies_of(const Recording& recording, std::string_view direction) {
  CopyFacts facts;
  const auto steps = static_cast<double>(recording.steps.size());
  for (const DeviceRecord& record : recording.device) {
    if (record.kind != DeviceRecordKind::Copy || record.name.find(direction) == std::string::npos)
      continue;
    facts.time += seconds(record.end - record.start) / steps;
    facts.bytes = facts.bytes + Bytes{static_cast<double>(record.bytes) / steps};
    facts.count += 1 / steps;
  }
  return facts.count > 0 ? std::optional(facts) : std::nullopt;
}

bool has_fused_attention(const std::vector<OpFact>& ops) {
  return std::ranges::any_of(ops, [](const OpFact& op) {
    return std::ranges::any_of(
        std::array<std::string_view, 3>{"flash_attention", "efficient_attention",
                                        "cudnn_attention"},
        [&](std::string_view part) { return op.name.find(part) != std::string::npos; });
  });
}

// Kept for the backward: what the first recorded forward left behind.
void add_growth(const Recording& recording, MemoryFacts& facts) {
  const auto forward = std::ranges::find_if(recording.ops, [](const OpRecord& op) {
    return op.kind == FrameKind::Phase && op.phase == StepPhase::Forward;
  });
  if (forward == recording.ops.end()) return;
  for (const MemoryRecord& record : recording.memory) {
    const Bytes held{static_cast<double>(record.allocated)};
    if (record.time < forward->start) facts.before_forward = held;
    if (record.time <= forward->end) facts.after_forward = held;
  }
}

std::optional<MemoryFacts> memory_of(const Recording& recording, MemoryFacts facts) {
  const auto peak = memory_peak(recording);
  if (!peak) return std::nullopt;
  const auto steps = static_cast<double>(recording.steps.size());
  facts.peak = Bytes{static_cast<double>(peak->bytes)};
  if (peak->phase != StepPhase::None) facts.phase = name_of(peak->phase);
  facts.op = peak->op;
  facts.allocations = static_cast<double>(peak->allocations) / steps;
  for (const MemoryRecord& record : recording.memory) {
    if (record.bytes > 0 && static_cast<double>(record.bytes) < kSmallAllocation.count)
      facts.small_allocations += 1 / steps;
  }
  add_growth(recording, facts);
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
  Nanoseconds recorded = 0;
  for (const RecordedStep& step : recording.steps) recorded += step.end - step.start;
  known.recorded = seconds(recorded) / known.steps;
  known.ops = ops_of(recording);
  known.fused_attention = known.fused_attention || has_fused_attention(known.ops);
  known.memory = memory_of(recording, known.memory.value_or(MemoryFacts{}));
  if (result.cost) known.cost = ProfilingCost{.time_ratio = result.cost->ratio};
  if (recording.device.empty()) return known;
  known.kernels = kernels_of(recording);
  known.to_device = copies_of(recording, "HtoD");
  known.on_device = copies_of(recording, "DtoD");
  if (recorded > 0)
    known.busy =
        std::min(1.0, static_cast<double>(busy_time(recording)) / static_cast<double>(recorded));
  return known;
}

}  // namespace ridgeline
