// Prints how often two ways of comparing raise a false alarm, and how often they find an effect, on
// simulated machines: interleaved epochs with the sign test (what stats/ab.h does), and what is
// commonly done, all of A then all of B with a Mann-Whitney test on the raw samples.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "stats/ab.h"
#include "stats/simulated_machine.h"

namespace ridgeline {
namespace {

using testing::Arms;
using testing::Experiment;
using testing::Noise;

constexpr std::size_t kExperiments = 2000;
constexpr double kNominal = 0.05;

struct Machine {
  const char* name;
  Noise noise;
};

constexpr std::array kMachines{
    Machine{.name = "independent", .noise = {}},
    Machine{.name = "drift", .noise = testing::kDrift},
    Machine{.name = "autocorrelated", .noise = testing::kAutocorrelated},
    Machine{.name = "bursts", .noise = testing::kBursts},
    Machine{.name = "realistic", .noise = testing::kRealistic},
};

struct Alarm {
  bool faster = false, slower = false;
};

Alarm interleaved(const Experiment& experiment, double threshold) {
  const Arms arms = run_interleaved(experiment);
  const auto kind = judge(arms.a, arms.b, {.threshold = threshold}).kind;
  return {.faster = kind == Verdict::Kind::Faster, .slower = kind == Verdict::Kind::Slower};
}

// Normal approximation, good for hundreds of samples; continuous noise has no ties.
Alarm sequential_mann_whitney(const Experiment& experiment) {
  const Arms arms = run_sequential(experiment);
  struct Ranked {
    Seconds time;
    bool is_a;
  };
  std::vector<Ranked> pooled;
  for (const Seconds time : arms.a) pooled.push_back({time, true});
  for (const Seconds time : arms.b) pooled.push_back({time, false});
  std::ranges::sort(pooled, {}, &Ranked::time);
  double rank_sum = 0;
  for (std::size_t i = 0; i < pooled.size(); ++i) {
    if (pooled[i].is_a) rank_sum += static_cast<double>(i + 1);
  }
  const auto n = static_cast<double>(arms.a.size());
  const double u = rank_sum - n * (n + 1) / 2;
  const double z = (u - n * n / 2) / std::sqrt(n * n * (2 * n + 1) / 12);
  const bool significant = std::erfc(std::abs(z) / std::numbers::sqrt2) < kNominal;
  return {.faster = significant && z > 0, .slower = significant && z < 0};
}

struct Rates {
  double faster = 0, slower = 0;
};

template <class Compare>
Rates repeat(Experiment experiment, Compare compare) {
  Rates rates;
  for (std::size_t i = 0; i < kExperiments; ++i) {
    experiment.seed = i + 1;
    const Alarm alarm = compare(experiment);
    rates.faster += alarm.faster ? 1.0 / kExperiments : 0;
    rates.slower += alarm.slower ? 1.0 / kExperiments : 0;
  }
  return rates;
}

void print_false_alarms() {
  fmt::print(
      "False alarms at a nominal {}, {} experiments, A = B, {} rounds of {} steps an arm\n\n",
      kNominal, kExperiments, kDefaultRounds, testing::kEpochSteps);
  fmt::print(
      "| machine | sign test, interval alone | verdict, 1 % threshold | sequential Mann-Whitney "
      "|\n");
  fmt::print("|---|---|---|---|\n");
  for (const Machine& machine : kMachines) {
    const Experiment same{.noise = machine.noise, .rounds = kDefaultRounds};
    const Rates interval = repeat(same, [](const auto& e) { return interleaved(e, 0); });
    const Rates verdict = repeat(same, [](const auto& e) { return interleaved(e, 0.01); });
    const Rates mann_whitney = repeat(same, sequential_mann_whitney);
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} |\n", machine.name,
               interval.faster + interval.slower, verdict.faster + verdict.slower,
               mann_whitney.faster + mann_whitney.slower);
  }
}

void print_power() {
  fmt::print("\nHow often a true gain is called faster, 1 % threshold\n\n");
  fmt::print(
      "| machine | rounds | 1 % | 2 % | 3 % | 5 % | 10 % |\n|---|---|---|---|---|---|---|\n");
  for (const Machine& machine : kMachines) {
    for (const std::size_t rounds : {kDefaultRounds, std::size_t{24}}) {
      fmt::print("| {} | {} |", machine.name, rounds);
      for (const double effect : {0.01, 0.02, 0.03, 0.05, 0.1}) {
        const Experiment gain{.noise = machine.noise, .rounds = rounds, .effect = effect};
        const Rates rates = repeat(gain, [](const auto& e) { return interleaved(e, 0.01); });
        fmt::print(" {:.3f} |", rates.faster);
      }
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace ridgeline

int main() {
  ridgeline::print_false_alarms();
  ridgeline::print_power();
}
