#include "trace/analysis.h"

#include <algorithm>
#include <utility>

namespace ridgeline {
namespace {

// PyTorch writes a slice around everything ("PyTorch Profiler (0)"), which is no work: other events
// count only where there is nothing else.
std::int64_t span_of(const EventTable& events) {
  std::optional<TimeSpan> known;
  std::optional<TimeSpan> any;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto widen = [&](std::optional<TimeSpan>& span) {
      if (!span) span = TimeSpan{.start_ns = events.start_ns(i), .end_ns = events.end_ns(i)};
      span->start_ns = std::min(span->start_ns, events.start_ns(i));
      span->end_ns = std::max(span->end_ns, events.end_ns(i));
    };
    widen(any);
    if (events.kind(i) != EventKind::Other) widen(known);
  }
  const auto& span = known ? known : any;
  return span ? span->end_ns - span->start_ns : 0;
}

}  // namespace

TraceAnalysis analyse(const Trace& trace) {
  const EventTable& events = trace.events;
  const DeviceWork work(events);
  const auto [steps, left_out] = working_steps(events, work);
  const std::int64_t span = span_of(events);
  TraceOps ops = op_table(events, work, steps);
  HostWaits waits = host_waits(events, work, steps);
  std::vector<StepIdle> idle = step_idle(events, work, steps, waits.all);
  return {.source = trace.source,
          .devices = trace.devices,
          .rank = trace.rank,
          .world_size = trace.world_size,
          .notes = trace.notes,
          .events = events.size(),
          .span_ns = span,
          .steps = steps,
          .steps_left_out = left_out,
          .in_steps = step_work(events, work, steps, span),
          .breakdowns = breakdowns(events, work, steps),
          .kernels = kernel_table(events, work),
          .ops = std::move(ops.rows),
          .without_op = std::move(ops.without_op),
          .copies = copy_table(events, work),
          .idle = idle_causes(events, work),
          .queues = queue_lengths(events, work),
          .launches = launch_stats(events, work),
          .waits = std::move(waits),
          .step_idle = std::move(idle),
          .gaps = longest_gaps(events, work, kGapsKept),
          .memory = memory_peaks(events)};
}

}  // namespace ridgeline
