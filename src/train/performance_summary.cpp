#include "train/performance_summary.h"

#include <optional>

#include "core/build_info.h"
#include "core/timestamp.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr double kMegabyte = 1024.0 * 1024.0;

// Each report stands for its steps; absent when none knows.
std::optional<double> mean_over_steps(const json& steps, const char* key) {
  double sum = 0;
  double weight = 0;
  for (const json& entry : steps) {
    if (!entry.contains(key)) continue;
    const double samples = entry.at("samples").get<double>();
    sum += entry.at(key).get<double>() * samples;
    weight += samples;
  }
  return weight > 0 ? std::optional(sum / weight) : std::nullopt;
}

}  // namespace

json performance_summary(const json& training, const SummaryFacts& facts) {
  const json& summary = training.at("summary");
  const json& steps = training.at("steps");
  json performance{{"total_samples", summary.at("samples")},
                   {"avg_training_speed", summary.at("samples_per_s")},
                   {"peak_memory_mb", summary.at("peak_bytes").get<double>() / kMegabyte}};
  if (!steps.empty()) {
    if (const auto loss = mean_over_steps(steps, "loss")) performance["avg_loss"] = *loss;
    performance["avg_batch_time"] =
        summary.at("wall_s").get<double>() / summary.at("steps").get<double>();
    if (const auto bytes = mean_over_steps(steps, "current_bytes"))
      performance["avg_memory_mb"] = *bytes / kMegabyte;
  }
  for (const auto& [ours, theirs] :
       {std::pair{"forward_s", "avg_forward_time"}, std::pair{"backward_s", "avg_backward_time"},
        std::pair{"optimizer_s", "avg_optimizer_time"}}) {
    if (summary.contains(ours)) performance[theirs] = summary.at(ours);
  }
  return {{"version", build_info().version},
          {"timestamp", utc_now()},
          {"config", facts.config},
          {"profiler_config", facts.profiler.is_null() ? json::object() : facts.profiler},
          {"performance_summary", std::move(performance)},
          {"training_params", facts.parameters},
          {"system_info", facts.system}};
}

}  // namespace ridgeline
