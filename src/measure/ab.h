#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/engine.h"
#include "measure/row_spec.h"
#include "measure/sampler.h"
#include "stats/ab.h"

namespace ridgeline {

struct Arm {
  std::string name;  // "--mode graph"
  RowSpec spec;
};

struct AbPlan {
  int rounds = static_cast<int>(kDefaultRounds);
  double threshold = 0.01;
  Seconds epoch{0.1};   // how long one arm runs before the other has its turn
  int comparisons = 1;  // in the same table; each must then be surer
};

// Runs both arms in one process, interleaved in random ABBA order, and judges the epoch medians.
// Returns a verdict object of run.json, or a row without numbers when the arms could not run.
[[nodiscard]] nlohmann::json compare_arms(const Engine& engine, const Arm& a, const Arm& b,
                                          const AbPlan& plan, const SampleHooks& hooks);

}  // namespace ridgeline
