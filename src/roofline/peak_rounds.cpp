#include "roofline/peak_rounds.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "stats/order.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

// A candidate with as many repetitions as make a batch, and the times of one that were sampled.
struct Chosen {
  MeasuredPeak what{};
  int busy_threads = 0;
  Seconds rest{};
  Seconds warm_up{};
  PeakCandidate candidate{};
  std::uint64_t repetitions = 1;
  std::vector<Seconds> samples{};
  std::size_t shared = 0;  // samples in which somebody else worked on the same cores

  [[nodiscard]] double rate(Seconds each) const { return candidate.work / each.count(); }
};

Seconds checked_run(const PeakCandidate& candidate, std::uint64_t repetitions) {
  const Seconds time = candidate.run(repetitions);
  if (!std::isfinite(time.count()) || time.count() < 0)
    throw Error(Fault::Device, fmt::format("a run of {} took no time that makes sense: {} s",
                                           candidate.at, time.count()));
  return time;
}

// Grows until a batch is long enough for the clock to mean something. Tried more than once, and
// asked anew in every round: a busy moment makes a short batch look long, and only a calm one shows
// it.
void lengthen(Chosen& chosen, const PeakRoundsPlan& plan, int tries) {
  constexpr double kMostAtOnce = 16;
  int long_ones = 0;
  while (chosen.repetitions < plan.most_repetitions) {
    const Seconds time = checked_run(chosen.candidate, chosen.repetitions);
    if (time >= plan.batch / 2) {
      if (++long_ones == tries) return;
      continue;
    }
    long_ones = 0;
    const double factor = std::clamp(plan.batch / time, 1.5, kMostAtOnce);
    const double wanted = std::ceil(static_cast<double>(chosen.repetitions) * factor);
    chosen.repetitions = std::min(plan.most_repetitions, static_cast<std::uint64_t>(wanted));
  }
}

void warm_up(const Chosen& chosen) {
  // Bounded in number too: a clock that stands still must not keep us here.
  constexpr int kMostRuns = 100'000;
  Seconds spent{};
  for (int i = 0; i < kMostRuns && spent < chosen.warm_up; ++i)
    spent += checked_run(chosen.candidate, chosen.repetitions);
}

Seconds sample(const Chosen& chosen, std::size_t batches) {
  std::vector<Seconds> times;
  for (std::size_t i = 0; i < batches; ++i)
    times.push_back(checked_run(chosen.candidate, chosen.repetitions));
  const Seconds each = median(times) / static_cast<double>(chosen.repetitions);
  return std::max(each, Seconds{1e-15});
}

// Whether the threads computed for less than they should have in the last sample.
bool lost_time(const Chosen& chosen, const PeakRoundsPlan& plan, Seconds computed) {
  constexpr double kLeastShare = 0.9;
  const double runs = static_cast<double>(chosen.repetitions) * static_cast<double>(plan.batches);
  return computed < kLeastShare * chosen.busy_threads * runs * chosen.samples.back();
}

// The fastest of a probe's candidates, each tried for a moment. One that fails is passed over; the
// first reason stands when all do.
std::optional<Chosen> choose(const PeakProbe& probe, const PeakRoundsPlan& plan,
                             const PeakRoundsHooks& hooks, std::vector<std::string>& notes) {
  std::optional<Chosen> best;
  double best_rate = 0;
  std::string why = "nothing to try";
  try {
    bool warm = false;
    for (PeakCandidate& candidate : probe.prepare()) {
      if (hooks.interrupted()) return best;
      Chosen chosen{
          .what = probe.what,
          .busy_threads = probe.busy_threads > 0 ? probe.busy_threads : probe.what.threads,
          .rest = probe.rest,
          .warm_up = probe.warm_up,
          .candidate = candidate};
      try {
        lengthen(chosen, plan, /*tries=*/3);
        if (!warm) warm_up(chosen);
        warm = true;
        const double rate = chosen.rate(sample(chosen, plan.batches));
        if (best && rate <= best_rate) continue;
        best_rate = rate;
        best = std::move(chosen);
      } catch (const std::exception& error) {
        why = error.what();
      }
    }
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (!best) notes.push_back(fmt::format("{} was not measured: {}", probe.what.name, why));
  return best;
}

MeasuredPeak peak_of(const Chosen& chosen) {
  const Summary summary = summarise(chosen.samples);
  MeasuredPeak peak = chosen.what;
  peak.per_second = chosen.rate(summary.median);
  peak.samples = summary.count;
  peak.at = chosen.candidate.at;
  peak.shared = 2 * chosen.shared > chosen.samples.size();
  if (summary.median_interval) {
    peak.low = chosen.rate(summary.median_interval->high);
    peak.high = chosen.rate(summary.median_interval->low);
  }
  return peak;
}

}  // namespace

PeakRoundsResult measure_in_rounds(const std::vector<PeakProbe>& probes, const PeakRoundsPlan& plan,
                                   const PeakRoundsHooks& hooks) {
  RIDGELINE_CHECK(plan.rounds > 0 && plan.batches > 0 && plan.batch.count() > 0);
  PeakRoundsResult result;
  const auto steps = static_cast<double>(probes.size() * (plan.rounds + 1));
  double done = 0;
  const auto stop = [&] {
    hooks.progressed(done++ / steps);
    result.interrupted = result.interrupted || hooks.interrupted();
    return result.interrupted;
  };
  std::vector<Chosen> all;
  for (const PeakProbe& probe : probes) {
    if (stop()) return result;
    if (auto chosen = choose(probe, plan, hooks, result.notes)) all.push_back(std::move(*chosen));
  }
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (Chosen& chosen : all) {
      if (stop()) return result;
      lengthen(chosen, plan, /*tries=*/1);
      std::this_thread::sleep_for(chosen.rest);
      warm_up(chosen);
      const Seconds before = hooks.cpu_time ? hooks.cpu_time() : Seconds{};
      chosen.samples.push_back(sample(chosen, plan.batches));
      if (hooks.cpu_time && lost_time(chosen, plan, hooks.cpu_time() - before)) ++chosen.shared;
    }
    // Nobody always comes after the same.
    std::ranges::reverse(all);
  }
  if (plan.rounds % 2 == 1) std::ranges::reverse(all);
  for (const Chosen& chosen : all) result.peaks.push_back(peak_of(chosen));
  return result;
}

}  // namespace ridgeline
