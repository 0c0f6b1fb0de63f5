#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/row_spec.h"

namespace ridgeline {

// How many warm-up steps a measurement of `spec` needs. Every setting runs in a fresh process, for
// in one process only the first is cold.
struct WarmupStudy {
  std::vector<int> warmup_steps;
  std::vector<nlohmann::json> rows;  // one a setting, in that order
  nlohmann::json cold;               // many steps from a cold start: where the steady state begins
  nlohmann::json grown;              // the same with the memory taken beforehand
  nlohmann::json preloaded;          // the same with every kernel loaded at start; null on a CPU
};

struct WarmupHooks {
  std::function<bool()> interrupted;
  std::function<void(const std::string& what)> started;
  std::function<void(const nlohmann::json& row)> finished;
};

[[nodiscard]] WarmupStudy study_warmup(const RowSpec& spec, const std::vector<int>& warmup_steps,
                                       const WarmupHooks& hooks);

// What the study says, in two or three sentences built from its numbers, and those numbers.
[[nodiscard]] nlohmann::json explain(const WarmupStudy& study);

}  // namespace ridgeline
