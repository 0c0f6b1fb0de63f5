#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.h"
#include "stats/abba.h"
#include "stats/order.h"
#include "stats/random.h"
#include "stats/samples.h"

namespace ridgeline::testing {

// What a machine adds to the logarithm of a step's true time; every part is off at zero.
struct Noise {
  double white = 0.02;           // deviation of independent noise
  double drift = 0;              // per step: heating up, a leak
  double wander = 0;             // deviation of an AR(1) process: clocks, neighbours
  double wander_memory = 0;      // its coefficient from step to step
  double burst_chance = 0;       // that a burst begins at a step
  std::size_t burst_length = 0;  // steps
  double burst_height = 0;
};

inline constexpr std::size_t kEpochSteps = 20;

// Drift over an experiment of 36 rounds (1440 steps) adds up to 15 %.
inline constexpr Noise kDrift{.drift = 1e-4};
// Forgets over about 50 steps, so that neighbouring epochs share some of it and not all.
inline constexpr Noise kAutocorrelated{.wander = 0.03, .wander_memory = 0.98};
// A foreign process for 30 steps at a time, a third of the time, costing 30 %.
inline constexpr Noise kBursts{.burst_chance = 0.015, .burst_length = 30, .burst_height = 0.26};
// A shared server that nobody abuses: 2 % from step to step, a slow wander of 1.5 % with a memory
// of about 20 steps, 7 % drift over the experiment, and an interruption of 20 steps by 20 % every
// 500 steps.
inline constexpr Noise kRealistic{.drift = 5e-5,
                                  .wander = 0.015,
                                  .wander_memory = 0.95,
                                  .burst_chance = 0.002,
                                  .burst_length = 20,
                                  .burst_height = 0.18};

class SimulatedMachine {
 public:
  // A stream of its own: the order of the rounds is drawn from the same seed.
  SimulatedMachine(const Noise& noise, std::uint64_t seed) : noise_(noise), random_(seed, 1) {
    wander_ = noise.wander * normal(random_);
  }

  // One step of a workload whose true time is `time`.
  Seconds step(Seconds time) {
    const double memory = noise_.wander_memory;
    wander_ = memory * wander_ + noise_.wander * std::sqrt(1 - memory * memory) * normal(random_);
    if (burst_left_ > 0) {
      --burst_left_;
    } else if (random_.uniform() < noise_.burst_chance) {
      burst_left_ = noise_.burst_length;
    }
    const double burst = burst_left_ > 0 ? noise_.burst_height : 0;
    const double white = noise_.white * normal(random_);
    return time * std::exp(white + wander_ + burst + noise_.drift * static_cast<double>(steps_++));
  }

  std::vector<Seconds> steps(Seconds time, std::size_t count) {
    std::vector<Seconds> times(count);
    std::ranges::generate(times, [&] { return step(time); });
    return times;
  }

 private:
  Noise noise_;
  Random random_;
  double wander_ = 0;
  std::size_t burst_left_ = 0;
  std::size_t steps_ = 0;
};

struct Experiment {
  Noise noise;
  std::size_t rounds = 0;
  double effect = 0;  // A's true time is 1 + effect times B's
  std::uint64_t seed = 0;
};

struct Arms {
  std::vector<Seconds> a, b;
};

// Epoch medians, interleaved in ABBA blocks.
inline Arms run_interleaved(const Experiment& experiment) {
  SimulatedMachine machine(experiment.noise, experiment.seed);
  const Seconds time_a{1 + experiment.effect};
  const Seconds time_b{1};
  Arms arms;
  for (const bool a_first : abba_order(experiment.rounds, experiment.seed)) {
    if (!a_first) arms.b.push_back(median(machine.steps(time_b, kEpochSteps)));
    arms.a.push_back(median(machine.steps(time_a, kEpochSteps)));
    if (a_first) arms.b.push_back(median(machine.steps(time_b, kEpochSteps)));
  }
  return arms;
}

// Raw samples, as many of each arm: all of A, then all of B.
inline Arms run_sequential(const Experiment& experiment) {
  SimulatedMachine machine(experiment.noise, experiment.seed);
  const std::size_t steps = experiment.rounds * kEpochSteps;
  Arms arms;
  arms.a = machine.steps(Seconds{1 + experiment.effect}, steps);
  arms.b = machine.steps(Seconds{1}, steps);
  return arms;
}

}  // namespace ridgeline::testing
