#pragma once

#include <nlohmann/json.hpp>

namespace ridgeline {

struct SummaryFacts {
  nlohmann::json config{};      // of the model
  nlohmann::json profiler{};    // what was recorded beside
  nlohmann::json parameters{};  // num_steps, batch_size, learning_rate, use_amp
  nlohmann::json system{};      // device, gpu_name, ...
};

// performance_summary.json as the workshop's script writes it: seconds, and MB of 2^20 bytes. From
// the `training` part of a run. An average over steps that were not timed is absent.
[[nodiscard]] nlohmann::json performance_summary(const nlohmann::json& training,
                                                 const SummaryFacts& facts);

}  // namespace ridgeline
