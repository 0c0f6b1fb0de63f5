// What our own measuring loop adds to a step: sample() around a step that does nothing. The goal is
// under 1 µs a step.
#include <chrono>

#include <benchmark/benchmark.h>

#include "measure/sampler.h"

namespace ridgeline {
namespace {

constexpr int kSteps = 10'000;

void run_loop(benchmark::State& state, const SamplingPlan& plan) {
  for (auto iteration : state) {
    int tick = 0;
    const Samples samples = sample<std::chrono::steady_clock>(plan, {}, [&] {
      // Not all equal, so that the interval of the median is really worked out.
      return StepTimes{.total = Seconds{1e-3 + 1e-6 * (++tick % 7)}};
    });
    benchmark::DoNotOptimize(samples.measured.data());
  }
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(kSteps) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void exact_count(benchmark::State& state) {
  run_loop(state, {.warmup_steps = 0, .measure_steps = kSteps});
}
void until_precise(benchmark::State& state) {
  run_loop(state, {.warmup_steps = 0, .measure_steps = {}, .max_samples = kSteps, .target = 1e-12});
}

BENCHMARK(exact_count)->Unit(benchmark::kMillisecond);
BENCHMARK(until_precise)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgeline
