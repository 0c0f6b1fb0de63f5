#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/units.h"
#include "engine/settings.h"
#include "models/spec.h"

namespace ridgeline {

// What a user asks to see of a step.
enum class Phase { Forward, Backward, Optimizer, ForwardBackward, Step };
[[nodiscard]] std::string_view name_of(Phase phase);
[[nodiscard]] Phase parse_phase(std::string_view word);
// The least of a step that must run for all of `phases` to be seen.
[[nodiscard]] Extent extent_for(const std::vector<Phase>& phases);

// Exactly `measure_steps` when given; else until the median's interval is within `target` of it, at
// least `min_samples`, at most `max_samples` or until the budget ends.
struct SamplingPlan {
  int warmup_steps = 5;
  std::optional<int> measure_steps{};
  int min_samples = 10;
  std::optional<int> max_samples{};
  Seconds budget{20};
  double target = 0.01;
};

// One row to be measured: everything a fresh process needs to do it.
struct RowSpec {
  ModelSpec model;
  RunSettings settings;
  std::vector<Phase> phases{Phase::Step};
  SamplingPlan plan;
  bool grow_memory_first = false;  // take the predicted memory once before the first step
};

// The row is sent to child processes as this and comes back as a row object.
[[nodiscard]] nlohmann::json to_json(const RowSpec& spec);
[[nodiscard]] RowSpec row_spec_from_json(const nlohmann::json& object);

[[nodiscard]] std::string_view model_kind(const ModelSpec& model);  // "transformer", "resnet", ...
[[nodiscard]] const std::string& label_of(const ModelSpec& model);
[[nodiscard]] std::optional<long> batch_size_of(const ModelSpec& model);  // a file's is its own
// Samples (sequences, images) and tokens one step consumes; tokens are absent where there are none.
[[nodiscard]] double samples_per_step(const ModelSpec& model, const RunSettings& settings);
[[nodiscard]] std::optional<double> tokens_per_step(const ModelSpec& model,
                                                    const RunSettings& settings);
// "small bf16 graph, context 256, batch 4": for progress and messages.
[[nodiscard]] std::string describe(const RowSpec& spec);

}  // namespace ridgeline
