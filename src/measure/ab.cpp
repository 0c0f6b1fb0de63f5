#include "measure/ab.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "measure/fit.h"
#include "measure/measure_row.h"
#include "measure/row_json.h"
#include "models/workloads.h"
#include "stats/ab.h"
#include "stats/abba.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kMaxStepsPerEpoch = 1000;

// One arm ready to run, and what it has shown so far.
struct RunningArm {
  std::unique_ptr<Workload> workload;
  int steps_per_epoch = 1;
  std::vector<Seconds> epoch_medians;
};

// Absent when interrupted: half an epoch is no epoch.
std::optional<Seconds> run_epoch(RunningArm& arm, const SampleHooks& hooks) {
  arm.workload->activate();
  std::vector<Seconds> times;
  for (int i = 0; i < arm.steps_per_epoch; ++i) {
    if (hooks.interrupted()) return std::nullopt;
    times.push_back(arm.workload->step().total);
  }
  return summarise(times).median;
}

RunningArm prepare(const Engine& engine, const RowSpec& spec, const AbPlan& plan,
                   const SampleHooks& hooks) {
  RunningArm arm;
  Backend& backend = engine.backend(spec.settings.device);
  arm.workload.reset(
      engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(spec.model, spec.settings, backend));
  Seconds step{};
  for (int i = 0; i <= spec.plan.warmup_steps && !hooks.interrupted(); ++i)
    step = arm.workload->step().total;
  if (step.count() <= 0) return arm;
  arm.steps_per_epoch = std::clamp(static_cast<int>(plan.epoch / step), 1, kMaxStepsPerEpoch);
  return arm;
}

json verdict_json(const Verdict& verdict, const Arm& a, const Arm& b) {
  json object{{"a", a.name},
              {"b", b.name},
              {"verdict", name_of(verdict.kind)},
              {"speedup", verdict.speedup},
              {"rounds", verdict.rounds},
              {"threshold_percent", 100 * verdict.threshold},
              {"sentence", sentence(verdict, a.name, b.name)}};
  if (verdict.interval) {
    object["speedup_low"] = verdict.interval->low;
    object["speedup_high"] = verdict.interval->high;
    object["confidence"] = verdict.interval->confidence;
  }
  if (verdict.detectable_effect) object["detectable_percent"] = 100 * *verdict.detectable_effect;
  if (verdict.rounds_still_needed) object["rounds_still_needed"] = *verdict.rounds_still_needed;
  return object;
}

json arm_json(const Arm& arm, const RunningArm& running) {
  return {{"row", row_header(arm.spec)},
          {"steps_per_epoch", running.steps_per_epoch},
          {"epoch_medians", statistics_json(running.epoch_medians)}};
}

// Both arms stay in memory at once. A GPU refuses cleanly; on a CPU the kernel would end us.
void require_room(const Engine& engine, const Arm& a, const Arm& b) {
  Bytes available =
      engine.backend(a.spec.settings.device).facts(a.spec.settings.device.index).free_memory;
  for (const Arm* arm : {&a, &b}) {
    const RowSpec& spec = arm->spec;
    if (spec.settings.device.kind != DeviceKind::Cpu) continue;
    if (!fits(spec.model, spec.settings, available))
      throw Error(Fault::Memory, shortage_message(spec.model, spec.settings, available));
    if (const auto need = memory_need(spec.model, spec.settings))
      available.count -= need->peak.count;
  }
}

json run_rounds(const Engine& engine, const Arm& a, const Arm& b, const AbPlan& plan,
                const SampleHooks& hooks) {
  for (const Arm* arm : {&a, &b}) {
    const Backend& backend = engine.backend(arm->spec.settings.device);
    if (const auto reason = reason_to_skip(arm->spec, backend))
      return skipped_row(arm->spec, fmt::format("{}: {}", arm->name, *reason));
  }
  require_room(engine, a, b);
  RunningArm first = prepare(engine, a.spec, plan, hooks);
  RunningArm second = prepare(engine, b.spec, plan, hooks);
  const auto order = abba_order(static_cast<std::size_t>(plan.rounds), a.spec.settings.seed);
  for (std::size_t round = 0; round < order.size() && !hooks.interrupted(); ++round) {
    RunningArm& leader = order[round] ? first : second;
    RunningArm& follower = order[round] ? second : first;
    const auto led = run_epoch(leader, hooks);
    const auto followed = run_epoch(follower, hooks);
    if (!led || !followed) break;
    leader.epoch_medians.push_back(*led);
    follower.epoch_medians.push_back(*followed);
    hooks.progressed(static_cast<double>(round + 1) / static_cast<double>(order.size()));
  }
  if (first.epoch_medians.empty()) return skipped_row(a.spec, "interrupted before the first round");
  const Verdict verdict = judge(
      first.epoch_medians, second.epoch_medians,
      {.threshold = plan.threshold, .comparisons = static_cast<std::size_t>(plan.comparisons)});
  json object = verdict_json(verdict, a, b);
  object["arm_a"] = arm_json(a, first);
  object["arm_b"] = arm_json(b, second);
  return object;
}

}  // namespace

json compare_arms(const Engine& engine, const Arm& a, const Arm& b, const AbPlan& plan,
                  const SampleHooks& hooks) {
  try {
    return run_rounds(engine, a, b, plan, hooks);
  } catch (const Error& error) {
    return failed_row(a.spec, name_of(error.fault()),
                      fmt::format("{} against {}: {}", a.name, b.name, error.what()));
  }
}

}  // namespace ridgeline
