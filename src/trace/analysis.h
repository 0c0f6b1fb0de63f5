#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/breakdown.h"
#include "trace/host_waits.h"
#include "trace/idle.h"
#include "trace/intervals.h"
#include "trace/kernel_table.h"
#include "trace/launch_stats.h"
#include "trace/memory_peak.h"
#include "trace/op_table.h"
#include "trace/step_idle.h"
#include "trace/step_work.h"
#include "trace/trace.h"
#include "trace/working_steps.h"

namespace ridgeline {

// All that a trace tells, without its events: what is printed, written and compared.
struct TraceAnalysis {
  std::string source{};
  std::vector<std::string> devices{};
  std::optional<std::int64_t> rank{};
  std::optional<std::int64_t> world_size{};
  TraceNotes notes{};
  std::uint64_t events{};
  std::int64_t span_ns{};  // from the first event's start to the last one's end
  std::vector<TraceStep> steps{};
  std::uint64_t steps_left_out{};  // at the ends, without work
  StepWork in_steps{};
  std::vector<Breakdown> breakdowns{};
  std::vector<KernelRow> kernels{};
  std::vector<TraceOpRow> ops{};
  std::vector<KernelRow> without_op{};  // device work of the steps that no op asked for
  std::vector<CopyRow> copies{};
  std::vector<StreamIdle> idle{};
  std::vector<QueueLength> queues{};
  LaunchStats launches{};
  HostWaits waits{};
  std::vector<StepIdle> step_idle{};  // by device
  std::vector<Gap> gaps{};
  std::vector<TraceMemoryPeak> memory{};
};

inline constexpr std::size_t kGapsKept = 20;

[[nodiscard]] TraceAnalysis analyse(const Trace& trace);

}  // namespace ridgeline
