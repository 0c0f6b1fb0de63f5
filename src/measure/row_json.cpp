#include "measure/row_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "measure/peaks.h"
#include "stats/outliers.h"
#include "stats/percentile.h"
#include "stats/steady_state.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

using nlohmann::json;

std::vector<Seconds> pick(std::span<const StepTimes> steps, Seconds StepTimes::*part) {
  std::vector<Seconds> times;
  times.reserve(steps.size());
  for (const StepTimes& step : steps) times.push_back(step.*part);
  return times;
}

std::vector<double> raw(std::span<const Seconds> times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const Seconds time : times) values.push_back(time.count());
  return values;
}

std::string_view name_of(Samples::Stop stop) {
  switch (stop) {
    case Samples::Stop::Count:
      return "count";
    case Samples::Stop::Precision:
      return "precision";
    case Samples::Stop::Budget:
      return "budget";
    case Samples::Stop::Interrupt:
      break;
  }
  return "interrupt";
}

std::string_view name_of(SteadyState::Kind kind) {
  switch (kind) {
    case SteadyState::Kind::Flat:
      return "flat";
    case SteadyState::Kind::Warmup:
      return "warmup";
    case SteadyState::Kind::Slowdown:
      return "slowdown";
    case SteadyState::Kind::NoSteadyState:
      return "no_steady_state";
    case SteadyState::Kind::TooFew:
      break;
  }
  return "too_few";
}

// When the user left the number of steps to us, steps before the steady state count as warm-up:
// that is what the detection is for. A number asked for is kept as it is.
std::size_t first_steady(const RowSpec& spec, const SteadyState& steady) {
  return !spec.plan.measure_steps && steady.is_steady() ? steady.from : 0;
}

void add_phases(json& row, Extent extent, DeviceKind device, std::span<const StepTimes> steps) {
  json& phases = row["phases"];
  phases["forward"] = statistics_json(pick(steps, &StepTimes::forward));
  if (extent >= Extent::Backward)
    phases["backward"] = statistics_json(pick(steps, &StepTimes::backward));
  if (extent == Extent::Step)
    phases["optimizer"] = statistics_json(pick(steps, &StepTimes::optimizer));
  phases["total"] = statistics_json(pick(steps, &StepTimes::total));
  if (device == DeviceKind::Cuda)
    row["host_launch"] = statistics_json(pick(steps, &StepTimes::host));
}

void add_utilisation(json& row, const RowSpec& spec, double median,
                     const FoundPeak<FlopPerSecond>& peak) {
  const auto useful = model_flop(spec.model, spec.settings);
  if (!peak.rate) {
    if (useful && !peak.why_absent.empty())
      row["warnings"].push_back(fmt::format("no MFU: {}", peak.why_absent));
    return;
  }
  if (useful && useful->count / median <= peak.rate->value) {
    row["mfu"] = useful->count / median / peak.rate->value;
  } else if (useful) {
    row["warnings"].push_back(
        "no MFU: the step was faster than the peak measured for this device; that was measured "
        "while the machine was slower, or the step's products are fewer than its shapes say (as "
        "in Winograd's convolutions); `ridgeline roofline peaks --refresh` measures it again");
  }
  row["peak"] = {{"flop_per_s", peak.rate->value}, {"dtype", peak_dtype(spec.settings.precision)}};
}

void add_rates(json& row, const RowSpec& spec, const FoundPeak<FlopPerSecond>& peak) {
  const double median = row["phases"]["total"]["median_s"];
  row["samples_per_s"] = samples_per_step(spec.model, spec.settings) / median;
  if (const auto tokens = tokens_per_step(spec.model, spec.settings))
    row["tokens_per_s"] = *tokens / median;
  const auto cost = step_cost(spec.model, spec.settings);
  if (!cost) return;
  const auto add = [&](const char* phase, const PhaseCost& part) {
    row["flop"][phase] = part.flop.count;
    row["bytes"][phase] = part.bytes.count;
    return part.flop.count;
  };
  double executed = add("forward", cost->forward);
  if (spec.settings.extent >= Extent::Backward) executed += add("backward", cost->backward);
  if (spec.settings.extent == Extent::Step) executed += add("optimizer", cost->optimizer);
  row["flop_per_s"] = executed / median;
  add_utilisation(row, spec, median, peak);
}

Seconds fastest_level(const SteadyState& steady) {
  return std::ranges::min(steady.segments, {}, &Segment::level).level;
}

void add_memory(json& row, const RowSpec& spec, const MemoryUse& use) {
  json& memory = row["memory"];
  memory["current_bytes"] = use.current.count;
  memory["peak_bytes"] = use.peak.count;
  memory["reserved_bytes"] = use.reserved.count;
  if (const auto need = memory_need(spec.model, spec.settings))
    memory["predicted_bytes"] = need->peak.count;
}

}  // namespace

json statistics_json(std::span<const Seconds> times) {
  const Summary summary = summarise(times);
  json object{{"samples_s", raw(times)},
              {"count", summary.count},
              {"median_s", summary.median.count()},
              {"mean_s", summary.mean.count()},
              {"min_s", summary.fastest.count()},
              {"max_s", summary.slowest.count()}};
  if (summary.median_interval) {
    object["median_low_s"] = summary.median_interval->low.count();
    object["median_high_s"] = summary.median_interval->high.count();
    object["confidence"] = summary.median_interval->confidence;
  }
  if (summary.deviation) object["std_s"] = summary.deviation->count();
  if (summary.cv_percent) object["cv_percent"] = *summary.cv_percent;
  for (const auto& [key, p] : {std::pair{"p90_s", 90.0}, {"p95_s", 95.0}, {"p99_s", 99.0}}) {
    if (const auto value = percentile(times, p)) object[key] = value->value.count();
  }
  const Outliers outliers = label_outliers(times);
  object["outliers_mild"] = outliers.mild_low + outliers.mild_high;
  object["outliers_severe"] = outliers.severe_low + outliers.severe_high;
  return object;
}

void add_measured(json& row, const RowSpec& spec, const Measured& measured,
                  const FoundPeak<FlopPerSecond>& peak) {
  std::span<const StepTimes> steps = measured.samples.measured;
  const SteadyState steady = find_steady_state(pick(steps, &StepTimes::total));
  const std::size_t dropped = first_steady(spec, steady);
  std::vector<Seconds> warmup = pick(measured.samples.warmup, &StepTimes::total);
  std::ranges::copy(pick(steps.first(dropped), &StepTimes::total), std::back_inserter(warmup));

  row["outcome"] = "measured";
  row["warmup_s"] = raw(warmup);
  add_phases(row, spec.settings.extent, spec.settings.device.kind, steps.subspan(dropped));
  add_rates(row, spec, peak);
  add_memory(row, spec, measured.memory);
  if (measured.energy_joules) row["energy_j"] = *measured.energy_joules;
  row["steady"] = {{"class", name_of(steady.kind)}, {"from_step", warmup.size()}};
  row["stopped_by"] = name_of(measured.samples.stop);
  row["startup"] = {{"build_s", measured.build_time.count()},
                    {"reserved_bytes", measured.reserved_bytes}};
  if (steady.kind == SteadyState::Kind::NoSteadyState) {
    row["warnings"].push_back(
        "no steady state: step times kept changing, so the median describes no one state");
  }
  if (steady.kind == SteadyState::Kind::Slowdown) {
    row["warnings"].push_back(fmt::format(
        "steps became {:.0f} % slower during the measurement (throttling, or another program)",
        100 * (steady.level / fastest_level(steady) - 1)));
  }
}

}  // namespace ridgeline
