#pragma once

#include <concepts>
#include <functional>
#include <vector>

#include "engine/workload.h"
#include "measure/row_spec.h"
#include "stats/stopping.h"

namespace ridgeline {

template <class C>
concept SteadyClock = C::is_steady && requires {
  C::now();
};

// Precision is not believed before this: a few dozen fast steps see one moment of the machine.
inline constexpr Seconds kLeastWindow{1.0};

struct Samples {
  enum class Stop { Count, Precision, Budget, Interrupt };
  std::vector<StepTimes> warmup;
  std::vector<StepTimes> measured;
  Stop stop = Stop::Count;
  Seconds window{};  // from the first measured step to the end of the last
};

// Called between steps: whether to end early, and how far the row has come (0 to 1).
struct SampleHooks {
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(double)> progressed = [](double) {};
};

[[nodiscard]] StoppingRule stopping_rule(const SamplingPlan& plan);

// Warms up, then samples until the plan is met. `step` has finished its device work when it
// returns.
template <SteadyClock Clock, std::invocable Step>
[[nodiscard]] Samples sample(const SamplingPlan& plan, const SampleHooks& hooks, Step&& step) {
  Samples samples;
  samples.stop = Samples::Stop::Interrupt;
  for (int i = 0; i < plan.warmup_steps; ++i) {
    if (hooks.interrupted()) return samples;
    samples.warmup.push_back(std::invoke(step));
  }
  const StoppingRule rule = stopping_rule(plan);
  const double expected = plan.measure_steps.value_or(0);
  std::vector<Seconds> totals;
  const auto begin = Clock::now();
  while (!hooks.interrupted()) {
    samples.measured.push_back(std::invoke(step));
    totals.push_back(samples.measured.back().total);
    samples.window = Clock::now() - begin;
    const auto count = static_cast<double>(totals.size());
    hooks.progressed(expected > 0 ? count / expected : samples.window / plan.budget);
    auto reason = reason_to_stop(rule, totals, samples.window);
    if (plan.max_samples && std::ssize(totals) >= *plan.max_samples) reason = StopReason::Count;
    if (!reason) continue;
    if (*reason == StopReason::Precision && samples.window < std::min(kLeastWindow, plan.budget))
      continue;
    samples.stop = *reason == StopReason::Count       ? Samples::Stop::Count
                   : *reason == StopReason::Precision ? Samples::Stop::Precision
                                                      : Samples::Stop::Budget;
    break;
  }
  return samples;
}

}  // namespace ridgeline
