#pragma once

#include <functional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/engine.h"
#include "measure/row_spec.h"
#include "measure/sampler.h"

namespace ridgeline {

struct SweepOptions {
  bool isolate = false;  // each row in a process of its own
  bool fit = false;      // reduce context and batch until a row fits
};

// What a sweep tells while it goes on.
struct SweepHooks {
  std::function<void(const RowSpec&)> started = [](const RowSpec&) {};
  std::function<void(const nlohmann::json&)> finished = [](const nlohmann::json&) {};
  SampleHooks sampling;
};

// Measures the rows in order; every one becomes an object in the result, and the next always runs.
// An interrupt ends the row in flight with what it has, and leaves the rest out.
std::vector<nlohmann::json> sweep(const Engine& engine, const std::vector<RowSpec>& specs,
                                  const SweepOptions& options, const SweepHooks& hooks);

}  // namespace ridgeline
