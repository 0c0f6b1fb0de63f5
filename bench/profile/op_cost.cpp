// What watching an op costs the thread that runs it: steps of a model too small to compute
// anything, with and without the observer in turn, in the thread's own processor time, so that a
// busy machine does not change the answer. op_cost [ROUNDS [WHAT [WIDTH]]]; one alone is for
// callgrind, from which "nothing" is to be taken away. A wider model's weights (256: 32 MB) leave
// the observer nothing in the caches, as the steps do that people profile.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/engine.h"
#include "models/workloads.h"
#include "profile/observer.h"

namespace {

using namespace ridgeline;

constexpr int kTiny = 32;

double thread_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double timed_step(Workload& workload) {
  const double start = thread_seconds();
  (void)workload.step();
  return thread_seconds() - start;
}

struct Watched {
  const char* name;
  std::optional<ObserverOptions> options;  // none: the same steps with nobody listening
};

void measure(const Watched& watched, int rounds, const Engine& engine, Workload& workload) {
  const std::unique_ptr<OpObserver> observer(engine.symbol<MakeOpObserver>(kMakeOpObserverSymbol)(
      watched.options.value_or(ObserverOptions{})));
  std::vector<double> with;
  std::vector<double> without;
  std::size_t frames = 0;
  for (int i = 0; i < rounds; ++i) {
    (void)workload.step();
    without.push_back(timed_step(workload));
    observer->reset();
    if (watched.options) observer->resume(Keep::Everything);
    (void)workload.step();
    observer->reset();
    with.push_back(timed_step(workload));
    frames = observer->finish().ops.size();
  }
  fmt::print("{:<12} {:.2f} ms without, {:.3f}x", watched.name, 1e3 * median(without),
             median(with) / median(without));
  if (frames > 0) {
    const double extra = median(with) - median(without);
    fmt::print(", {} frames a step, {:.0f} ns each", frames,
               1e9 * extra / static_cast<double>(frames));
  }
  fmt::print("\n");
}

int run(int rounds, std::string_view only, int width) {
  const std::vector<Watched> choices{
      {"nothing", std::nullopt},
      {"ops", ObserverOptions{.program_ranges = false}},
      {"ranges", ObserverOptions{}},
      {"shapes", ObserverOptions{.shapes = true, .program_ranges = false}},
      {"values", ObserverOptions{.shapes = true, .values = true, .program_ranges = false}},
      {"memory", ObserverOptions{.memory = true, .program_ranges = false}},
  };
  if (!only.empty() && std::ranges::find(choices, only, &Watched::name) == choices.end())
    throw Error(Fault::BadInput, fmt::format("op_cost: nothing called '{}' can be watched", only));
  const Engine engine = Engine::load(false);
  const TransformerSpec model{.label = "tiny",
                              .vocab_size = 64,
                              .d_model = width,
                              .d_ff = 2 * width,
                              .num_layers = 12,
                              .num_heads = 2,
                              .num_kv_heads = 2,
                              .context_length = 8,
                              .batch_size = 1};
  const RunSettings settings{.extent = Extent::Step, .threads = 1};
  const std::unique_ptr<Workload> workload(engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(
      model, settings, engine.backend(settings.device)));
  workload->activate();
  for (const Watched& watched : choices) {
    if (only.empty() || only == watched.name) measure(watched, rounds, engine, *workload);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? std::atoi(words[1]) : 100, count > 2 ? words[2] : "",
               count > 3 ? std::atoi(words[3]) : kTiny);
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
