#include "trace/analysis_facts.h"

#include <algorithm>
#include <chrono>

namespace ridgeline {
namespace {

Seconds seconds(double nanoseconds) { return Seconds{nanoseconds * 1e-9}; }
Seconds seconds(std::int64_t nanoseconds) { return std::chrono::nanoseconds(nanoseconds); }

// The steps' own times on the host; without steps the whole trace is one.
Seconds step_time(const TraceAnalysis& analysis, double steps) {
  Seconds sum{};
  for (const TraceStep& step : analysis.steps) sum += seconds(step.end_ns - step.start_ns);
  return sum > Seconds{0} ? sum / steps : seconds(analysis.span_ns);
}

OpFact fact_of(const std::string& name, Seconds time, std::uint64_t calls, double steps) {
  return {.name = name,
          .kind = kind_of_op(name),
          .time = time / steps,
          .calls = static_cast<double>(calls) / steps};
}

// By op where the device's work could be joined to ops, else by kernel; host times where there is
// no device.
std::vector<OpFact> ops_of(const TraceAnalysis& analysis, double steps) {
  const bool device = !analysis.kernels.empty();
  const bool joined = std::ranges::any_of(analysis.ops, [](const TraceOpRow& row) {
    return row.kind == EventKind::CpuOp && row.self_device_ns > 0;
  });
  std::vector<OpFact> ops;
  if (device && !joined) {
    for (const KernelRow& row : analysis.kernels)
      ops.push_back(fact_of(row.name, seconds(row.total_ns), row.count, steps));
    return ops;
  }
  for (const TraceOpRow& row : analysis.ops) {
    if (row.kind == EventKind::CpuOp)
      ops.push_back(fact_of(row.name, seconds(device ? row.self_device_ns : row.self_host_ns),
                            row.calls, steps));
  }
  return ops;
}

std::optional<KernelFacts> kernels_of(const TraceAnalysis& analysis, double steps) {
  std::vector<const KernelRow*> rows;
  double count = 0;
  for (const KernelRow& row : analysis.kernels) {
    if (row.work == WorkClass::Copy) continue;
    rows.push_back(&row);
    count += static_cast<double>(row.count);
  }
  if (rows.empty()) return std::nullopt;
  KernelFacts facts{.count = count / steps, .distinct = static_cast<double>(rows.size())};
  std::ranges::sort(rows, {}, &KernelRow::mean_ns);
  double passed = 0;
  for (const KernelRow* const row : rows) {
    const Seconds mean = seconds(row->mean_ns());
    if (mean < kShortKernel) facts.short_ones += static_cast<double>(row->count) / steps;
    if (passed < count / 2) facts.median = mean;
    passed += static_cast<double>(row->count);
  }
  return facts;
}

std::optional<CopyFacts> copies_of(const TraceAnalysis& analysis, std::string_view direction,
                                   double steps) {
  const auto row = std::ranges::find(analysis.copies, direction, &CopyRow::direction);
  if (row == analysis.copies.end() || row->count == 0) return std::nullopt;
  return CopyFacts{.time = seconds(row->total_ns) / steps,
                   .bytes = Bytes{static_cast<double>(row->bytes) / steps},
                   .count = static_cast<double>(row->count) / steps};
}

std::optional<WaitFacts> waits_of(const TraceAnalysis& analysis, double steps) {
  // Without steps it is not known what came after a wait.
  if (analysis.steps.empty()) return std::nullopt;
  return wait_facts(analysis.waits, steps);
}

// PyTorch marks its loaders' calls; other tools' waits for data are not known.
std::optional<DataFacts> data_of(const TraceAnalysis& analysis, double steps, Seconds step) {
  Seconds waited{};
  bool marked = false;
  for (const TraceOpRow& row : analysis.ops) {
    if (!row.name.starts_with("enumerate(DataLoader)")) continue;
    marked = true;
    waited += seconds(row.host_ns);
  }
  if (!marked) return std::nullopt;
  const Seconds wait = std::min(waited / steps, step);
  return DataFacts{.wait = wait, .compute = step - wait};
}

std::optional<MemoryFacts> memory_of(const TraceAnalysis& analysis, bool on_gpu) {
  for (const TraceMemoryPeak& peak : analysis.memory) {
    if (peak.device.starts_with("cpu") == on_gpu || peak.peak_bytes <= 0) continue;
    return MemoryFacts{.peak = Bytes{static_cast<double>(peak.peak_bytes)},
                       .reserved = Bytes{static_cast<double>(peak.reserved_bytes.value_or(0))}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<WaitFacts> wait_facts(const HostWaits& waits, double steps) {
  if (waits.rows.empty()) return std::nullopt;
  WaitFacts facts{.op = waits.op};
  for (const HostWaitRow& row : waits.rows) {
    facts.held += seconds(row.before_work_ns) / steps;
    facts.held_count += static_cast<double>(row.before_work) / steps;
    facts.at_end += seconds(row.total_ns - row.before_work_ns) / steps;
  }
  return facts;
}

ProfileFacts facts_of(const TraceAnalysis& analysis) {
  ProfileFacts facts;
  const double steps = std::max(1.0, static_cast<double>(analysis.steps.size()));
  facts.on_gpu = !analysis.kernels.empty();
  facts.steps = steps;
  facts.step = step_time(analysis, steps);
  facts.recorded = facts.step;
  facts.ops = ops_of(analysis, steps);
  facts.kernels = kernels_of(analysis, steps);
  if (!analysis.breakdowns.empty() && analysis.breakdowns.front().span_ns > 0) {
    const Breakdown& whole = analysis.breakdowns.front();
    facts.busy = 1 - static_cast<double>(whole.idle_ns) / static_cast<double>(whole.span_ns);
  }
  facts.to_device = copies_of(analysis, "HtoD", steps);
  facts.on_device = copies_of(analysis, "DtoD", steps);
  facts.memory = memory_of(analysis, facts.on_gpu);
  facts.waits = waits_of(analysis, steps);
  facts.data = data_of(analysis, steps, facts.step);
  return facts;
}

}  // namespace ridgeline
