#include "trace/analysis_facts.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "trace/aten_kind.h"

namespace ridgeline {
namespace {

Seconds seconds(std::int64_t nanoseconds) { return std::chrono::nanoseconds(nanoseconds); }

OpFact fact_of(const std::string& name, Seconds time, std::uint64_t calls, double steps) {
  return {.name = name,
          .kind = kind_of_op(name),
          .time = time / steps,
          .calls = static_cast<double>(calls) / steps};
}

// An op whose name tells nothing (other people's, torch.compile's) is what its kernels are.
void add_op(std::vector<OpFact>& ops, const TraceOpRow& row, Seconds time, double steps) {
  const OpFact whole = fact_of(row.name, time, row.in_steps.calls, steps);
  if (row.in_steps.by_kind.empty()) return ops.push_back(whole);
  for (const auto& [kind, part] : row.in_steps.by_kind) {
    ops.push_back(whole);
    ops.back().kind = kind;
    ops.back().time = seconds(part) / steps;
  }
}

// By op where the device's work could be joined to ops, and by kernel what no op asked for (what
// NCCL sends, a replayed graph): together all of the device's time. Where none could be joined, by
// kernel alone; host times where there is no device.
std::vector<OpFact> ops_of(const TraceAnalysis& analysis, double steps) {
  const bool device = !analysis.kernels.empty();
  const bool joined = std::ranges::any_of(
      analysis.ops, [](const TraceOpRow& row) { return row.in_steps.op_device_ns > 0; });
  std::vector<OpFact> ops;
  for (const KernelRow& row : analysis.without_op)
    ops.push_back(fact_of(row.name, seconds(row.total_ns), row.count, steps));
  if (device && !joined) return ops;
  for (const TraceOpRow& row : analysis.ops) {
    if (!is_op_row(row.kind, row.name)) continue;
    const TraceOpRow::InSteps& sums = row.in_steps;
    const auto time = device ? sums.op_device_ns : sums.self_host_ns - sums.beside_host_ns;
    const std::uint64_t calls = sums.calls - sums.beside_calls;
    if (calls == 0 && time == 0) continue;
    // What an optimizer is made of are no products and no copies of the model.
    const auto optimizer = device ? sums.optimizer_device_ns : sums.optimizer_host_ns;
    const bool optimizes = optimizer > 0 && kind_of_op(row.name) != OpKind::Communication;
    const auto rest = optimizes ? time - optimizer : time;
    if (optimizes) {
      ops.push_back(fact_of(row.name, seconds(optimizer), rest > 0 ? 0 : calls, steps));
      ops.back().kind = OpKind::Optimizer;
    }
    if (optimizes && rest <= 0) continue;
    if (device) {
      add_op(ops, row, seconds(rest), steps);
    } else {
      ops.push_back(fact_of(row.name, seconds(rest), calls, steps));
    }
  }
  return ops;
}

bool leaves_threads_out(const TraceAnalysis& analysis) {
  return std::ranges::any_of(analysis.ops, [](const TraceOpRow& row) {
    return is_op_row(row.kind, row.name) && row.in_steps.beside_host_ns > 0;
  });
}

// Without any device work in the trace its host times would pass for those of a program that uses
// none. A runtime's call wraps a driver's, so only one kind counts.
double unseen_launches(const TraceAnalysis& analysis, double steps) {
  if (!analysis.kernels.empty()) return 0;
  const auto launches = [&](EventKind kind) {
    std::uint64_t calls = 0;
    for (const TraceOpRow& row : analysis.ops) {
      if (row.kind == kind && launches_work(row.name)) calls += row.in_steps.calls;
    }
    return static_cast<double>(calls);
  };
  const double runtime = launches(EventKind::Runtime);
  return (runtime > 0 ? runtime : launches(EventKind::Driver)) / steps;
}

bool replays_graph(const std::vector<StepIdle>& idle) {
  std::int64_t all = 0;
  std::int64_t of_graphs = 0;
  for (const StepIdle& device : idle) {
    all = add_times(all, device.work_ns);
    of_graphs = add_times(of_graphs, device.graph_work_ns);
  }
  return of_graphs > all / 2;
}

std::optional<KernelFacts> kernels_of(const StepKernels& kernels, double steps) {
  if (kernels.count == 0) return std::nullopt;
  return KernelFacts{.count = static_cast<double>(kernels.count) / steps,
                     .distinct = static_cast<double>(kernels.distinct),
                     .short_ones = static_cast<double>(kernels.short_ones) / steps,
                     .median = seconds(kernels.median_ns)};
}

std::optional<CopyFacts> copies_of(const StepWork& work, std::string_view direction, double steps) {
  const auto row = std::ranges::find(work.copies, direction, &CopyRow::direction);
  if (row == work.copies.end() || row->count == 0) return std::nullopt;
  return CopyFacts{.time = seconds(row->total_ns) / steps,
                   .merged = seconds(row->merged_ns) / steps,
                   .bytes = Bytes{static_cast<double>(row->bytes) / steps},
                   .count = static_cast<double>(row->count) / steps};
}

std::optional<CommunicationFacts> communication_of(const DeviceStepWork& work, double steps) {
  if (work.communication_ns <= 0) return std::nullopt;
  return CommunicationFacts{.time = seconds(work.communication_ns) / steps,
                            .alone = seconds(work.communication_alone_ns) / steps,
                            .count = static_cast<double>(work.communications) / steps};
}

std::optional<DataFacts> data_of(const TraceAnalysis& analysis, double steps, Seconds step) {
  if (std::ranges::none_of(analysis.ops, waits_for_data, &TraceOpRow::name)) return std::nullopt;
  const Seconds wait = std::min(seconds(analysis.in_steps.data_wait_ns) / steps, step);
  DataFacts facts{.wait = wait, .compute = step - wait};
  if (const auto& devices = analysis.in_steps.devices; !devices.empty())
    facts.covered = std::min(wait, seconds(devices.front().busy_in_data_wait_ns) / steps);
  return facts;
}

std::optional<MemoryFacts> memory_of(const TraceAnalysis& analysis, bool on_gpu) {
  const TraceMemoryPeak* most = nullptr;
  std::size_t devices = 0;
  for (const TraceMemoryPeak& peak : analysis.memory) {
    if (peak.device.starts_with("cpu") == on_gpu || peak.peak_bytes <= 0) continue;
    ++devices;
    if (most == nullptr || peak.peak_bytes > most->peak_bytes) most = &peak;
  }
  if (most == nullptr) return std::nullopt;
  return MemoryFacts{.peak = Bytes{static_cast<double>(most->peak_bytes)},
                     .since_start = !most->absolute,
                     .device = devices > 1 ? most->device : std::string(),
                     .reserved = Bytes{static_cast<double>(most->reserved_bytes.value_or(0))}};
}

std::vector<std::string> missing_of(const TraceNotes& notes) {
  std::vector<std::string> missing;
  if (notes.cut_off) missing.emplace_back("it was not read to its end");
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) missing.push_back(fmt::format("{} {} are beyond its limit", count, what));
  };
  add(notes.ops_beyond_limit, "ops");
  add(notes.allocations_beyond_limit, "allocations");
  add(notes.device_beyond_limit, "kernels and copies");
  return missing;
}

// Of what is there in part nothing is told: it would pass for the whole.
void leave_out_parts(ProfileFacts& facts, const TraceNotes& notes) {
  facts.missing = missing_of(notes);
  const bool ops = notes.has_all_ops();
  const bool device = notes.has_all_device_work();
  if (!ops || !device) facts.ops.clear();
  if (!ops && facts.waits) facts.waits->op.clear();
  if (!device || (!ops && !facts.on_gpu)) facts.communication.reset();
  if (!device) {
    facts.kernels.reset();
    facts.busy.reset();
    facts.idle.reset();
    facts.other_devices.reset();
    facts.to_device.reset();
    facts.on_device.reset();
    facts.waits.reset();
  }
  if (!notes.has_all_allocations()) facts.memory.reset();
  if (!notes.cut_off) return;
  facts.unseen_launches = 0;
  facts.data.reset();
}

}  // namespace

std::optional<WaitFacts> wait_facts(const HostWaits& waits, double steps) {
  // Without steps it is not known what came after a wait.
  if (waits.rows.empty() || !waits.rows.front().before_work) return std::nullopt;
  WaitFacts facts{.op = waits.op};
  facts.held = seconds(total_ns(waits.holding)) / steps;
  facts.held_count = static_cast<double>(waits.holding.size()) / steps;
  return facts;
}

std::optional<IdleFacts> idle_facts(const std::vector<StepIdle>& idle, std::int64_t device,
                                    double steps) {
  const auto found = std::ranges::find(idle, device, &StepIdle::device);
  if (found == idle.end() || found->launched == 0) return std::nullopt;
  return IdleFacts{.queued = seconds(found->queued_ns) / steps,
                   .in_wait = seconds(found->in_wait_ns) / steps};
}

ProfileFacts facts_of(const TraceAnalysis& analysis) {
  const StepWork& work = analysis.in_steps;
  const double steps = std::max(1.0, static_cast<double>(analysis.steps.size()));
  ProfileFacts facts{.on_gpu = !analysis.kernels.empty(),
                     .marks_steps = !analysis.steps.empty(),
                     .steps = steps,
                     .step = seconds(work.time_ns) / steps};
  facts.recorded = facts.step;
  facts.unseen_launches = unseen_launches(analysis, steps);
  if (facts.unseen_launches == 0) {
    facts.ops = ops_of(analysis, steps);
    facts.leaves_threads_out = leaves_threads_out(analysis);
  }
  facts.fused_attention =
      std::ranges::any_of(analysis.kernels, is_fused_attention, &KernelRow::name) ||
      std::ranges::any_of(facts.ops, is_fused_attention, &OpFact::name);
  facts.kernels = kernels_of(work.kernels, steps);
  const auto part_of_steps = [&](const DeviceStepWork& device) {
    return std::min(1.0, static_cast<double>(device.busy_ns) / static_cast<double>(work.time_ns));
  };
  if (!work.devices.empty() && work.time_ns > 0) facts.busy = part_of_steps(work.devices.front());
  if (work.devices.size() > 1 && work.time_ns > 0)
    facts.other_devices = OtherDevices{.devices = static_cast<double>(work.devices.size()),
                                       .least_busy = part_of_steps(work.devices.back())};
  facts.to_device = copies_of(work, "HtoD", steps);
  facts.on_device = copies_of(work, "DtoD", steps);
  facts.communication =
      communication_of(work.devices.empty() ? work.host : work.devices.front(), steps);
  facts.runs_backward = std::ranges::any_of(analysis.ops, [](const TraceOpRow& row) {
    return is_op_row(row.kind, row.name) && is_autograd_node(row.name);
  });
  facts.memory = memory_of(analysis, facts.on_gpu);
  facts.waits = wait_facts(analysis.waits, steps);
  if (!work.devices.empty())
    facts.idle = idle_facts(analysis.step_idle, work.devices.front().device, steps);
  facts.replays_graph = replays_graph(analysis.step_idle);
  facts.data = data_of(analysis, steps, facts.step);
  if (analysis.events > 0) leave_out_parts(facts, analysis.notes);
  return facts;
}

}  // namespace ridgeline
