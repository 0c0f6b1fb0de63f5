#include "cli/roofline_subject.h"

#include <algorithm>
#include <utility>

#include "cli/profile_observer.h"
#include "cli/profile_subject.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "measure/ceilings.h"
#include "measure/peaks.h"
#include "profile/profile_steps.h"
#include "stats/order.h"

namespace ridgeline {
namespace {

void set_peak(Ceilings& ceilings, ComputePath path, std::optional<FlopPerSecond> peak) {
  if (peak) ceilings.compute[index_of(path)] = peak;
}

// The workload is at hand for more steps; nobody watches it any more.
struct RecordedWorkload {
  std::unique_ptr<Workload> workload{};
  Recording recording{};
};

RecordedWorkload record(const Session& session, const RowSpec& spec,
                        const RooflineRequest& request) {
  const auto observer =
      make_observer(session.engine, session.device,
                    {.shapes = true,
                     .values = true,
                     .program_ranges = std::holds_alternative<FileSpec>(spec.model)},
                    GraphDetail::Nodes);
  std::unique_ptr<Workload> workload;
  {
    const WatchedCapture watched(*observer, spec.settings.mode);
    workload = make_profiled_workload(session.engine, spec);
  }
  Progress progress({.enabled = !request.quiet, .total = 1});
  progress.begin(describe(spec));
  ProfileResult result = profile_steps(
      *workload, *observer, {.wait = 1, .warmup = 1, .active = request.steps}, {.most = 0},
      {.interrupted = [] { return interrupted(); },
       .progressed = [&](double part) { progress.update(part); }});
  progress.clear();
  if (result.failure) throw Error(result.failure->fault, result.failure->message);
  return {.workload = std::move(workload), .recording = std::move(result.recording)};
}

// On the clock, with nobody watching: what utilisations are of.
Seconds unwatched_step(Workload& workload) {
  constexpr std::size_t kSteps = 9;
  constexpr Seconds kEnough{2};
  std::vector<Seconds> times;
  Seconds spent{};
  while (times.size() < kSteps && spent < kEnough && !interrupted()) {
    times.push_back(workload.step().total);
    spent += times.back();
  }
  return times.empty() ? Seconds{} : median(times);
}

}  // namespace

Ceilings ceilings_here(const Engine& engine, const std::vector<RowSpec>& specs,
                       const std::vector<MemoryLevel>& levels) {
  RunSettings settings = specs.front().settings;
  const auto is_cache = [](MemoryLevel level) { return level != MemoryLevel::Dram; };
  if (std::ranges::any_of(levels, is_cache))
    return measured_ceilings(engine, settings, Refresh::No);
  Ceilings ceilings{.machine = engine.backend(settings.device).facts(settings.device.index).name,
                    .source = "measured here"};
  if (const auto copy = copy_peak(engine, settings))
    ceilings.bandwidth[index_of(MemoryLevel::Dram)] = copy;
  for (const RowSpec& spec : specs)
    set_peak(ceilings, product_path_of(spec.settings.precision),
             matmul_peak(engine, spec.settings));
  // All that is no product runs in fp32, whatever it is stored in.
  settings.precision = Precision::Fp32;
  if (!ceilings.of(ComputePath::Fp32))
    set_peak(ceilings, ComputePath::Fp32, matmul_peak(engine, settings));
  return ceilings;
}

std::optional<RooflineRun> roofline_of(const Session& session, const RowSpec& spec,
                                       const RooflineRequest& request, const Ceilings& ceilings) {
  const RecordedWorkload recorded = record(session, spec, request);
  if (interrupted()) return std::nullopt;
  const Seconds step = unwatched_step(*recorded.workload);
  RooflineRun run = roofline_of_recording(
      {.spec = spec, .recording = recorded.recording, .workload = *recorded.workload, .step = step},
      request, ceilings, device_counters_of(session.engine));
  if (interrupted()) return std::nullopt;
  return run;
}

}  // namespace ridgeline
