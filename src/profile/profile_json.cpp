#include "profile/profile_json.h"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/utf8.h"
#include "profile/device_report.h"
#include "profile/memory_report.h"
#include "report/findings_json.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

using nlohmann::json;

double seconds(Nanoseconds time) { return Seconds(std::chrono::nanoseconds(time)).count(); }

json numbers(const std::vector<Seconds>& times) {
  json list = json::array();
  for (const Seconds time : times) list.push_back(time.count());
  return list;
}

json cost_json(const ProfileCost& cost) {
  json object{{"ratio", cost.ratio},
              {"pairs", cost.with.size()},
              {"beside", cost.beside_paused ? "paused" : "absent"},
              {"step_with_s", summarise(cost.with).median.count()},
              {"step_without_s", summarise(cost.without).median.count()},
              {"with_s", numbers(cost.with)},
              {"without_s", numbers(cost.without)}};
  if (cost.before) object["step_before_s"] = cost.before->count();
  if (cost.interval) {
    object["ratio_low"] = cost.interval->low;
    object["ratio_high"] = cost.interval->high;
    object["confidence"] = cost.interval->confidence;
  }
  return object;
}

json nvml_json(const Utilisation& seen) {
  json object{{"samples", seen.samples}, {"watched_s", seen.watched.count()}};
  if (!seen.why_absent.empty()) object["absent"] = seen.why_absent;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) object[key] = *value;
  };
  add("gpu_busy_percent", seen.gpu_percent);
  add("memory_busy_percent", seen.memory_percent);
  add("sm_clock_mhz", seen.sm_clock_mhz);
  add("power_w", seen.power_w);
  if (seen.samples > 0) object["throttle_reasons"] = seen.throttle_reasons;
  return object;
}

json steps_json(const std::vector<RecordedStep>& recorded) {
  json steps = json::array();
  for (const RecordedStep& step : recorded)
    steps.push_back({{"number", step.number}, {"total_s", seconds(step.end - step.start)}});
  return steps;
}

json ops_json(const OpTable& table) {
  json rows = json::array();
  for (const OpRow& row : table.rows) {
    json object{{"name", with_valid_utf8(row.name)}, {"calls", row.calls}};
    if (!row.detail.empty()) object["detail"] = with_valid_utf8(row.detail);
    if (table.grouping != OpGrouping::Kernel) {
      object["self_s"] = seconds(row.self);
      object["total_s"] = seconds(row.total);
    }
    if (table.has_device) {
      object["device_self_s"] = seconds(row.device_self);
      object["device_total_s"] = seconds(row.device_total);
    }
    if (row.flop.count > 0) object["flop"] = row.flop.count;
    if (const auto achieved = row.achieved()) object["flop_per_s"] = achieved->value;
    if (table.has_memory) {
      object["allocated_bytes"] = row.memory.allocated;
      object["net_bytes"] = row.memory.net;
      object["self_allocated_bytes"] = row.self_memory.allocated;
      object["self_net_bytes"] = row.self_memory.net;
    }
    if (row.launch) {
      object["registers"] = row.launch->registers;
      object["shared_bytes"] = row.launch->shared_memory;
      if (row.launch->occupancy) object["occupancy"] = *row.launch->occupancy;
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

json modules_json(const ModuleTable& table) {
  json rows = json::array();
  for (const ModuleRow& row : table.rows) {
    json object{{"name", with_valid_utf8(row.name)},     {"depth", row.depth},
                {"forward_s", seconds(row.forward)},     {"backward_s", seconds(row.backward)},
                {"optimizer_s", seconds(row.optimizer)}, {"other_s", seconds(row.other)},
                {"self_s", seconds(row.self)},           {"total_s", seconds(row.total())}};
    if (table.has_device) {
      object["device_s"] = seconds(row.device());
      object["device_forward_s"] = seconds(row.device_in[1]);
      object["device_backward_s"] = seconds(row.device_in[2]);
      object["device_optimizer_s"] = seconds(row.device_in[3]);
    }
    if (table.has_parameters) object["parameters"] = row.parameters;
    const auto add_flop_of = [&](const char* key, StepPhase phase) {
      if (const Flop flop = row.flop(phase); flop.count > 0) object[key] = flop.count;
    };
    add_flop_of("forward_flop", StepPhase::Forward);
    add_flop_of("backward_flop", StepPhase::Backward);
    add_flop_of("optimizer_flop", StepPhase::Optimizer);
    add_flop_of("other_flop", StepPhase::None);
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::vector<std::string> gap_lines(const RecordingGaps& gaps) {
  std::vector<std::string> lines;
  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) lines.push_back(fmt::format("{} {}", count, what));
  };
  say(gaps.ops_beyond_limit,
      "ops beyond --trace-limit are in the tables and not in the trace or the stacks");
  say(gaps.memory_beyond_limit,
      "allocations beyond --trace-limit are not in the trace, and the curve of memory ends there");
  say(gaps.frames_too_deep, "frames nested too deeply count as their parents' time");
  say(gaps.names_beyond_limit, "names beyond the limit stand under one");
  say(gaps.unfinished, "frames were still open at the end and are cut off there");
  say(gaps.device_beyond_limit, "kernels and copies beyond --trace-limit were not recorded");
  say(gaps.device_dropped, "kernels and copies were lost by CUPTI");
  say(gaps.launches_unlike,
      "launches were not those of the steps whose ops were recorded and belong to no op; --record "
      "together has both in the same steps");
  return lines;
}

json profile_json(const ProfileDocument& profile) {
  const ProfileResult& result = profile.result;
  const OpTable& ops = profile.tables.ops;
  json object{{"steps", steps_json(result.recording.steps)},
              {"ops", ops_json(ops)},
              {"modules", modules_json(profile.tables.modules)},
              {"outside_ops_s", seconds(ops.outside_ops)},
              {"other_threads_s", seconds(ops.beside)},
              {"gaps", gap_lines(result.recording.gaps)}};
  if (profile.tables.kernels) object["kernels"] = ops_json(*profile.tables.kernels);
  if (!result.recording.steps.empty()) {
    object["findings"] = findings_json(profile.facts);
    object["targets"] = targets_json(profile.facts);
  }
  if (!result.recording.device_steps.empty())
    object["device_steps"] = steps_json(result.recording.device_steps);
  if (result.cost) object["cost"] = cost_json(*result.cost);
  if (result.device_cost) object["device_cost"] = cost_json(*result.device_cost);
  if (result.together) object["together_cost"] = cost_json(*result.together);
  if (result.utilisation) object["nvml"] = nvml_json(*result.utilisation);
  if (const auto device = device_report(result.recording)) object["device"] = device_json(*device);
  if (result.memory) object["memory"] = memory_summary_json(*result.memory);
  if (result.failure)
    object["failure"] = {{"fault", name_of(result.failure->fault)},
                         {"reason", with_valid_utf8(result.failure->message)}};
  if (result.interrupted) object["interrupted"] = true;
  return object;
}

}  // namespace ridgeline
