#include "cli/roofline_subject.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/profile_observer.h"
#include "cli/profile_subject.h"
#include "cli/roofline_counters.h"
#include "core/error.h"
#include "core/format.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/text.h"
#include "measure/ceilings.h"
#include "measure/peaks.h"
#include "profile/device_times.h"
#include "profile/profile_steps.h"
#include "roofline/flop_excess.h"
#include "roofline/verdict.h"
#include "stats/order.h"

namespace ridgeline {
namespace {

// A point less than this of the step is not worth a line of its own among what has no cost model.
constexpr double kWorthSaying = 0.001;
// Arithmetic beyond what shapes ask for, as a part of all that they ask for.
constexpr double kWorthNaming = 0.005;

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

// Names the largest of what has no cost model.
std::optional<std::string> unmodelled_note(const ShapePoints& points) {
  std::vector<std::string> named;
  Seconds time{};
  for (const UnmodelledOp& op : points.unmodelled) {
    time += op.time;
    if (named.size() < 5) named.push_back(fmt::format("{} ({})", op.name, format_seconds(op.time)));
  }
  if (named.empty() || time < kWorthSaying * points.step) return std::nullopt;
  return fmt::format(
      "No cost model for {}{}: {} of the step is in the table without FLOPs and bytes.",
      fmt::join(named, ", "), points.unmodelled.size() > named.size() ? " and others" : "",
      format_seconds(time));
}

std::string shapes_note(const ShapePoints& points, const RooflineRequest& request,
                        const std::optional<std::string>& obstacle) {
  std::string text = fmt::format(
      "FLOPs and bytes are what the shapes ask for at least, not counted{}; times are {}, the mean "
      "of {} steps.",
      obstacle ? fmt::format(" ({})", *obstacle) : "",
      points.on_device ? "the device's" : "the host's own of each op", request.steps);
  if (request.levels.size() > 1)
    text += " Every level has the same bytes: from shapes no more is known.";
  return text;
}

// What the counters say, where they could be read.
struct CountedPoints {
  std::vector<RooflinePoint> points{};
  CounterTotals totals{};
  std::vector<std::string> notes{};
};

// "; most above: aten::convolution_backward 583 % (88.6 GFLOP more)"
std::string excess_text(const std::vector<FlopExcess>& excess) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kMost, excess.size()); ++i) {
    const FlopExcess& one = excess[i];
    const std::string share =
        one.asked.count > 0 ? fmt::format(" {:.0f} %", 100 * one.executed.count / one.asked.count)
                            : "";
    named.push_back(fmt::format("{}{} ({:.3g} GFLOP more)", one.label, share,
                                (one.executed.count - one.asked.count) / 1e9));
  }
  return named.empty() ? "" : fmt::format("; most above: {}", fmt::join(named, ", "));
}

std::vector<std::string> counter_notes(const CountedStep& counted, const JoinedKernels& joined,
                                       const std::vector<RooflinePoint>& by_shapes) {
  std::vector<std::string> notes{fmt::format(
      "FLOPs and bytes are hardware counters, {} kernels in {} passes ({}); times are those of a "
      "step that was not counted.",
      counted.kernels.size(), counted.passes, format_seconds(counted.took))};
  Flop asked{};
  Flop executed{};
  for (const RooflinePoint& point : by_shapes) asked = asked + point.total_flop();
  for (const RooflinePoint& point : joined.points) executed = executed + point.total_flop();
  if (asked.count > 0)
    notes.push_back(fmt::format("Counted are {:.4g} GFLOP, {:.2f} % of what the shapes ask for{}.",
                                executed.count / 1e9, 100 * executed.count / asked.count,
                                excess_text(flop_excess(by_shapes, joined.points, kWorthNaming))));
  if (const auto ratio = joined.traffic_ratio())
    notes.push_back(fmt::format("DRAM moved {:.2f} times what the shapes need at least.", *ratio));
  if (joined.without_counters > 0)
    notes.push_back(fmt::format("{} kernels have no counters and stand as their shapes say.",
                                joined.without_counters));
  return notes;
}

std::optional<CountedPoints> count_points(const Session& session, RecordedWorkload& recorded,
                                          const ShapePointOptions& options) {
  const ShapeLaunches launches = shape_launches(recorded.recording, options);
  const auto counted = count_kernels(session.engine, *recorded.workload, launches.kernels.size());
  if (!counted) return std::nullopt;
  JoinedKernels joined = join_counters(launches.kernels, launches.points, counted->kernels);
  CountedPoints result{.totals = joined.totals,
                       .notes = counter_notes(*counted, joined, launches.points)};
  result.points = std::move(joined.points);
  result.points.insert(result.points.end(), launches.others.begin(), launches.others.end());
  return result;
}

// Counters where they are wanted and can be read; else why not, unless nothing less would do.
std::optional<CountedPoints> counters_or_reason(const Session& session, const RowSpec& spec,
                                                const RooflineRequest& request,
                                                RecordedWorkload& recorded,
                                                const ShapePointOptions& options,
                                                std::optional<std::string>& obstacle) {
  if (request.counters == CounterUse::Off) return std::nullopt;
  obstacle = counter_obstacle(spec.settings);
  if (!obstacle && recorded.recording.device.empty()) obstacle = "no kernel was recorded";
  if (obstacle && request.counters == CounterUse::On)
    throw bad_input(fmt::format("--counters on: there are no counters: {}", *obstacle));
  if (obstacle) return std::nullopt;
  try {
    return count_points(session, recorded, options);
  } catch (const Error& error) {
    if (request.counters == CounterUse::On || error.fault() == Fault::Memory) throw;
    obstacle = error.what();
    return std::nullopt;
  }
}

// Nothing computes faster than the machine can: then what it can was measured in a busy moment.
std::optional<std::string> low_peak_note(const std::vector<RooflinePoint>& groups,
                                         const Ceilings& ceilings) {
  constexpr double kBeyondDoubt = 1.05;
  for (const RooflinePoint& group : groups) {
    const PointVerdict verdict = judge(group, ceilings);
    if (!verdict.nearest || verdict.share <= kBeyondDoubt) continue;
    if (!std::holds_alternative<ComputePath>(verdict.nearest->what)) continue;
    return fmt::format(
        "{} ran at {:.0f} % of {}, so that peak is too low, as when it was measured on a busy "
        "machine, and utilisations and bounds here say nothing; `ridgeline roofline peaks "
        "--refresh` measures it again.",
        group.label, 100 * verdict.share, verdict.nearest->name());
  }
  return std::nullopt;
}

void add_notes(RooflineRun& run, const ShapePoints& points) {
  if (const auto note = unmodelled_note(points)) run.set.notes.push_back(*note);
  if (points.on_device) {
    Seconds busy{};
    for (const RooflinePoint& point : points.points) busy += point.time;
    run.set.notes.push_back(fmt::format("The device worked {} of a step; one takes {}.",
                                        format_seconds(busy), format_seconds(run.step)));
  }
}

// A module or phase does several kinds of work; it is shown as the one that takes most of its time.
void set_main_kinds(std::vector<RooflinePoint>& groups, const std::vector<RooflinePoint>& points) {
  std::map<std::pair<std::string, OpKind>, Seconds> times;
  for (const RooflinePoint& point : points)
    if (!point.is_overhead()) times[{point.label, point.kind}] += point.time;
  for (RooflinePoint& group : groups) {
    Seconds most{-1};
    for (auto at = times.lower_bound({group.label, OpKind{}});
         at != times.end() && at->first.first == group.label; ++at) {
      if (at->second <= most) continue;
      most = at->second;
      group.kind = at->first.second;
    }
  }
}

}  // namespace

CounterUse parse_counter_use(std::string_view word) {
  if (word == "auto") return CounterUse::Auto;
  if (word == "on") return CounterUse::On;
  if (word == "off") return CounterUse::Off;
  throw bad_input(unknown_word("--counters", word, {"auto", "on", "off"}));
}

ComputePath product_path_of(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
      return ComputePath::Fp32;
    case Precision::Tf32:
      return ComputePath::TensorTf32;
    case Precision::Fp16:
      return ComputePath::TensorFp16;
    case Precision::Bf16:
    case Precision::Bf16Pure:
      break;
  }
  return ComputePath::TensorBf16;
}

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
  RecordedWorkload recorded = record(session, spec, request);
  if (interrupted()) return std::nullopt;
  const ShapePointOptions options{.per = request.per,
                                  .cost = {.tf32 = spec.settings.precision == Precision::Tf32},
                                  .levels = request.levels};
  const ShapePoints points = shape_points(recorded.recording, options);
  const Seconds step = unwatched_step(*recorded.workload);
  std::optional<std::string> obstacle;
  auto counted = counters_or_reason(session, spec, request, recorded, options, obstacle);
  if (interrupted()) return std::nullopt;
  RooflineRun run{.set = {.label = describe(spec),
                          .source = "shapes and the profiler's times",
                          .ceilings = ceilings,
                          .points = points.points},
                  .step = step};
  if (counted) {
    run.set.source = "hardware counters and the profiler's times";
    run.set.points = std::move(counted->points);
    run.totals = counted->totals;
    run.set.notes = std::move(counted->notes);
  } else {
    run.set.notes.push_back(shapes_note(points, request, obstacle));
  }
  run.groups = grouped(run.set.points, PointGrouping::Kernel);
  set_main_kinds(run.groups, run.set.points);
  const auto peak = ceilings.of(product_path_of(spec.settings.precision));
  const auto needed = model_flop(spec.model, spec.settings);
  if (peak && needed) run.mfu = model_flop_utilisation(*needed, run.step, *peak);
  RooflinePoint total = total_of(run.set.points, "");
  total.time = run.step;
  run.hfu = hardware_flop_utilisation(total, ceilings);
  if (const auto note = low_peak_note(run.groups, ceilings)) {
    run.set.notes.push_back(*note);
    run.mfu.reset();
    run.hfu.reset();
  }
  add_notes(run, points);
  return run;
}

}  // namespace ridgeline
