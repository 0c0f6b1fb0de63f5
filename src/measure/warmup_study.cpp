#include "measure/warmup_study.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/format.h"
#include "measure/isolate.h"
#include "measure/measure_row.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

using nlohmann::json;

// Enough steps for the steady-state detection, within a minute on a slow machine.
constexpr int kColdSteps = 60;
constexpr Seconds kColdBudget{60};
// A cause is named when it explains at least this share of what the first step cost too much.
constexpr double kWorthNaming = 0.05;
// Within a tenth of the steady level counts as steady.
constexpr double kSettledFactor = 1.1;
constexpr std::size_t kCalmSteps = 5;

RowSpec cold_spec(RowSpec spec) {
  spec.plan = {.warmup_steps = 0,
               .measure_steps = {},
               .min_samples = 10,
               .budget = kColdBudget,
               .target = 0};
  spec.plan.max_samples = kColdSteps;
  return spec;
}

bool measured(const json& row) { return row.is_object() && row.value("outcome", "") == "measured"; }

// Every step of a row from the first on, warm-up included.
std::vector<Seconds> all_steps(const json& row) {
  std::vector<Seconds> times;
  for (const double time : row.at("warmup_s")) times.emplace_back(time);
  for (const double time : row.at("phases").at("total").at("samples_s")) times.emplace_back(time);
  return times;
}

// The first of a few steps in a row that all lie near the steady level; lone interruptions later on
// are no warm-up. Absent when there is no such stretch.
std::optional<std::size_t> settled_from(const std::vector<Seconds>& times, Seconds level) {
  const std::size_t stretch = std::min(kCalmSteps, times.size());
  for (std::size_t start = 0; start + stretch <= times.size(); ++start) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(start);
    const bool calm = std::all_of(first, first + static_cast<std::ptrdiff_t>(stretch),
                                  [&](Seconds time) { return time < kSettledFactor * level; });
    if (calm) return start;
  }
  return std::nullopt;
}

struct Cause {
  std::string_view name;
  Seconds saved;
};

// Empty when the first step was no slower than the others: then there is nothing to explain.
std::vector<Cause> find_causes(const WarmupStudy& study, Seconds first, Seconds level) {
  std::vector<Cause> causes;
  if (first < kSettledFactor * level) return causes;
  const Seconds excess = first - level;
  const auto consider = [&](const json& probe, const char* name) {
    if (!measured(probe)) return;
    const Seconds saved = first - all_steps(probe).front();
    if (saved > kWorthNaming * excess) causes.push_back({name, std::min(saved, excess)});
  };
  consider(study.grown, "allocator growth");
  consider(study.preloaded, "kernel loading");
  const Seconds named =
      std::accumulate(causes.begin(), causes.end(), Seconds{0},
                      [](Seconds sum, const Cause& cause) { return sum + cause.saved; });
  if (excess - named > kWorthNaming * excess) {
    causes.push_back(
        {"library initialisation (handles, plans, autotuning, thread pools)", excess - named});
  }
  return causes;
}

std::string first_step_sentence(Seconds first, Seconds level, std::size_t settled, Seconds cost,
                                const std::vector<Cause>& causes) {
  const std::string lead = fmt::format("The first step took {}", format_seconds(first));
  if (settled == 0) {
    return fmt::format(
        "{}, no more than a tenth above the steady {}: nothing needs warming up here.", lead,
        format_seconds(level));
  }
  const std::string total =
      fmt::format("the {} step{} before the steady state cost {} more than steady ones", settled,
                  settled == 1 ? "" : "s", format_seconds(cost));
  if (causes.empty())
    return fmt::format("{}, near the steady {}, but {}.", lead, format_seconds(level), total);
  std::string parts;
  for (const Cause& cause : causes) {
    parts +=
        fmt::format("{}{} {}", parts.empty() ? "" : ", ", cause.name, format_seconds(cause.saved));
  }
  return fmt::format("{}, {:.1f} times the steady {}; {}. Of the first step's excess: {}.", lead,
                     first / level, format_seconds(level), total, parts);
}

// Where the steps settle, what getting there cost and how many warm-up steps to use: as numbers,
// where they are known, and as the sentences returned.
std::string describe_settling(json& result, const std::vector<Seconds>& steps, Seconds level,
                              const std::vector<Cause>& causes) {
  const auto found = settled_from(steps, level);
  if (!found) {
    return fmt::format(
        "The first step took {}; in {} steps no {} in a row stayed within a tenth of the median "
        "{}: "
        "the machine is too restless to say how many warm-up steps are enough.",
        format_seconds(steps.front()), steps.size(), kCalmSteps, format_seconds(level));
  }
  const std::size_t settled = *found;
  Seconds cost{0};
  for (std::size_t i = 0; i < settled; ++i) cost += steps[i] - level;
  result["steady_from_step"] = settled + 1;
  result["recommended_warmup_steps"] = std::max<std::size_t>(settled, 1);
  result["warmup_cost_s"] = cost.count();
  const std::string then =
      settled == 0
          ? "Times are steady from step 1 on: no warm-up steps are needed, one is a safe habit."
          : fmt::format("Times are steady from step {} on: use at least {} warm-up step{}.",
                        settled + 1, settled, settled == 1 ? "" : "s");
  return first_step_sentence(steps.front(), level, settled, cost, causes) + " " + then;
}

// What the report draws and tabulates: a point a setting that could be measured.
json points_of(const WarmupStudy& study) {
  const json& any = study.rows.empty() ? study.cold : study.rows.front();
  json result{{"label", any.is_object() ? any.value("label", "") : ""},
              {"phase", "total"},
              {"points", json::array()}};
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    if (!measured(study.rows[i])) continue;
    result["points"].push_back({{"warmup_steps", study.warmup_steps[i]},
                                {"time", study.rows[i].at("phases").at("total")}});
  }
  return result;
}

}  // namespace

WarmupStudy study_warmup(const RowSpec& spec, const std::vector<int>& warmup_steps,
                         const WarmupHooks& hooks) {
  WarmupStudy study;
  const auto measure = [&](const RowSpec& row_spec, const std::string& what,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
    if (hooks.interrupted()) return json();
    hooks.started(what);
    json row = measure_row_isolated(row_spec, environment);
    hooks.finished(row);
    return row;
  };
  for (const int steps : warmup_steps) {
    RowSpec row_spec = spec;
    row_spec.plan.warmup_steps = steps;
    json row = measure(row_spec, fmt::format("{} warm-up steps", steps), {});
    if (row.is_null()) break;
    study.warmup_steps.push_back(steps);
    study.rows.push_back(std::move(row));
  }
  study.cold = measure(cold_spec(spec), "cold start", {});
  RowSpec grown = cold_spec(spec);
  grown.plan.max_samples = 1;
  grown.plan.min_samples = 1;
  grown.grow_memory_first = true;
  study.grown = measure(grown, "first step with memory taken beforehand", {});
  if (spec.settings.device.kind == DeviceKind::Cuda) {
    grown.grow_memory_first = false;
    study.preloaded = measure(grown, "first step with kernels loaded beforehand",
                              {{"CUDA_MODULE_LOADING", "EAGER"}});
  }
  return study;
}

json explain(const WarmupStudy& study) {
  json result = points_of(study);
  if (!measured(study.cold)) {
    result["advice"] =
        "The cold start could not be measured, so nothing can be said about warm-up.";
    return result;
  }
  const std::vector<Seconds> steps = all_steps(study.cold);
  const std::vector<Seconds> later(steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                                   steps.end());
  const Seconds level = summarise(later).median;
  const auto causes = find_causes(study, steps.front(), level);
  const double load = study.cold.value("/startup/load_s"_json_pointer, 0.0);
  const double build = study.cold.value("/startup/build_s"_json_pointer, 0.0);

  result["advice"] = fmt::format(
      "Before the first step, loading the libraries took {} and building the model {}. {}",
      format_seconds(Seconds{load}), format_seconds(Seconds{build}),
      describe_settling(result, steps, level, causes));
  result["first_step_s"] = steps.front().count();
  result["steady_s"] = level.count();
  json& named = result["causes"] = json::array();
  for (const Cause& cause : causes)
    named.push_back({{"cause", cause.name}, {"seconds", cause.saved.count()}});
  std::vector<double> raw_steps;
  for (const Seconds step : steps) raw_steps.push_back(step.count());
  result["cold_steps_s"] = raw_steps;
  return result;
}

}  // namespace ridgeline
