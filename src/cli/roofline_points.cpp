#include "cli/roofline_points.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/roofline_notes.h"
#include "core/error.h"
#include "core/text.h"
#include "profile/device_times.h"
#include "roofline/summary_file.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

// What the counters say, where they could be read; else why shapes speak in their place.
struct CountedPoints {
  std::vector<RooflinePoint> points{};
  CounterTotals totals{};
  std::vector<std::string> notes{};
};
struct CounterOutcome {
  std::optional<CountedPoints> counted{};
  std::optional<std::string> obstacle{};
};

std::optional<CountedPoints> count_points(const RecordedSetting& setting,
                                          const RooflineRequest& request,
                                          const ShapePointOptions& options,
                                          const CounterSource& counters) {
  const ShapeLaunches launches = shape_launches(setting.recording, options);
  const auto counted = count_kernels(counters, setting.workload,
                                     {.launches = launches.kernels.size(), .cache = request.cache});
  if (!counted) return std::nullopt;
  JoinedKernels joined = join_counters(launches.kernels, launches.points, counted->kernels);
  CountedPoints result{.totals = joined.totals,
                       .notes = counter_notes(*counted, request.cache, joined, launches.points)};
  result.points = std::move(joined.points);
  result.points.insert(result.points.end(), launches.others.begin(), launches.others.end());
  if (std::ranges::any_of(result.points, &RooflinePoint::by_shapes))
    result.notes.emplace_back(
        "Numbers with ≥ were not counted: copies and sets, which no counter sees, are by their "
        "sizes.");
  return result;
}

CounterOutcome counters_or_reason(const RecordedSetting& setting, const RooflineRequest& request,
                                  const ShapePointOptions& options, const CounterSource& counters) {
  if (request.counters == CounterUse::Off) return {.obstacle = "--counters off"};
  auto obstacle = counter_obstacle(setting.spec.settings);
  if (!obstacle && setting.recording.device.empty()) obstacle = "no kernel was recorded";
  if (obstacle && request.counters == CounterUse::On)
    throw bad_input(fmt::format("--counters on: there are no counters: {}", *obstacle));
  if (obstacle) return {.obstacle = obstacle};
  try {
    return {.counted = count_points(setting, request, options, counters)};
  } catch (const Error& error) {
    if (request.counters == CounterUse::On || error.fault() == Fault::Memory) throw;
    return {.obstacle = error.what()};
  }
}

PointSet points_by_shapes(const ShapePoints& points, const RooflineRequest& request,
                          const std::optional<std::string>& obstacle) {
  return {.source = std::string(kFromShapes),
          .points = points.points,
          .notes = {text_of(ShapesNote{.obstacle = obstacle,
                                       .on_device = points.on_device,
                                       .steps = request.steps,
                                       .several_levels = request.levels.size() > 1})}};
}

PointSet points_by_counters(CountedPoints counted, CacheControl cache) {
  return {.source = fmt::format("hardware counters (cache control {}) and the profiler's times",
                                name_of(cache)),
          .points = std::move(counted.points),
          .notes = std::move(counted.notes),
          .cache = cache};
}

// Both are of the rate that products are held to, not of the fastest unit: on a GPU plain FMA may
// do more than a product in fp32.
void set_utilisations(RooflineRun& run, const RecordedSetting& setting, Ceilings ceilings) {
  const RowSpec& spec = setting.spec;
  const ComputePath path = product_path_of(spec.settings.precision);
  if (setting.product) ceilings.set(path, setting.product);
  const auto peak = ceilings.of(path);
  const auto needed = model_flop(spec.model, spec.settings);
  StepFacts& step = *run.set.step;
  if (peak && needed) step.mfu = model_flop_utilisation(*needed, step.clock, *peak);
  RooflinePoint total = total_of(run.set.points, "");
  total.time = step.clock;
  step.hfu = hardware_flop_utilisation(total, ceilings);
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

RooflineRun roofline_of_recording(const RecordedSetting& setting, const RooflineRequest& request,
                                  const Ceilings& ceilings, const CounterSource& counters) {
  const RowSpec& spec = setting.spec;
  const ShapePointOptions options{.per = request.per,
                                  .cost = {.tf32 = spec.settings.precision == Precision::Tf32,
                                           .on_gpu = spec.settings.device.kind == DeviceKind::Cuda},
                                  .levels = request.levels,
                                  .gpu = setting.gpu};
  const ShapePoints points = shape_points(setting.recording, options);
  CounterOutcome outcome = counters_or_reason(setting, request, options, counters);
  RooflineRun run;
  if (outcome.counted) {
    run.totals = outcome.counted->totals;
    run.set = points_by_counters(std::move(*outcome.counted), request.cache);
  } else {
    run.set = points_by_shapes(points, request, outcome.obstacle);
  }
  run.set.label = describe(spec);
  run.set.ceilings = ceilings;
  run.set.step = {.clock = setting.step, .levels = request.levels};
  run.groups = judged_groups(run.set.points, PointGrouping::Kernel, ceilings);
  if (setting.no_product) {
    run.set.notes.push_back(fmt::format(
        "No MFU and no HFU, for they are of the matrix product: {}.", *setting.no_product));
  } else {
    set_utilisations(run, setting, ceilings);
  }
  if (const auto note = beyond_peak_note(*run.set.step, setting.product.has_value())) {
    run.set.notes.push_back(*note);
    run.set.step->mfu.reset();
    run.set.step->hfu.reset();
  }
  if (const auto note = restless_note(ceilings)) run.set.notes.push_back(*note);
  if (const auto note = low_peak_note(run.groups, ceilings)) {
    run.set.notes.push_back(*note);
    run.set.step->mfu.reset();
    run.set.step->hfu.reset();
  }
  if (const auto note = unmodelled_note(points)) run.set.notes.push_back(*note);
  if (points.on_device) {
    run.set.notes.push_back(busy_note(points, setting.step));
  } else if (const auto note = watched_note(run.set.points, setting.step)) {
    run.set.notes.push_back(*note);
  }
  return run;
}

}  // namespace ridgeline
