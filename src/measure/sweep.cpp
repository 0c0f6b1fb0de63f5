#include "measure/sweep.h"

#include <nlohmann/json.hpp>

#include "measure/fit.h"
#include "measure/isolate.h"
#include "measure/measure_row.h"

namespace ridgeline {
namespace {

using nlohmann::json;

json measure_once(const Engine& engine, const RowSpec& spec, const SweepOptions& options,
                  const SampleHooks& hooks) {
  return options.isolate ? measure_row_isolated(spec) : measure_row(engine, spec, hooks);
}

bool ran_out_of_memory(const json& row) { return row.value("fault", "") == "memory"; }

// Predicts first; where the prediction was too hopeful, goes on halving.
json measure_fitted(const Engine& engine, RowSpec spec, const SweepOptions& options,
                    const SampleHooks& hooks) {
  const Device& device = spec.settings.device;
  const Bytes available = engine.backend(device).facts(device.index).free_memory;
  const RowSpec wanted = spec;
  if (const auto fitted = fit(spec.model, spec.settings, available)) spec.model = *fitted;
  json row = measure_once(engine, spec, options, hooks);
  while (ran_out_of_memory(row)) {
    const auto smaller = next_smaller(spec.model);
    if (!smaller) break;
    spec.model = *smaller;
    row = measure_once(engine, spec, options, hooks);
  }
  const std::string change = describe_change(wanted.model, spec.model, available);
  if (!change.empty()) row["adjusted"] = change;
  return row;
}

}  // namespace

std::vector<json> sweep(const Engine& engine, const std::vector<RowSpec>& specs,
                        const SweepOptions& options, const SweepHooks& hooks) {
  std::vector<json> rows;
  for (const RowSpec& spec : specs) {
    if (hooks.sampling.interrupted()) break;
    hooks.started(spec);
    rows.push_back(options.fit ? measure_fitted(engine, spec, options, hooks.sampling)
                               : measure_once(engine, spec, options, hooks.sampling));
    hooks.finished(rows.back());
  }
  return rows;
}

}  // namespace ridgeline
