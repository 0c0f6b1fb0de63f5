#include "measure/sampler.h"

namespace ridgeline {

StoppingRule stopping_rule(const SamplingPlan& plan) {
  if (plan.measure_steps) return ExactCount{static_cast<std::size_t>(*plan.measure_steps)};
  return UntilPrecise{.min_samples = static_cast<std::size_t>(plan.min_samples),
                      .target_fraction = plan.target,
                      .budget = plan.budget};
}

}  // namespace ridgeline
