#include "cli/profile_subject.h"

#include <chrono>
#include <vector>

#include "cli/profile_findings.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "measure/fit.h"
#include "measure/measure_row.h"
#include "models/workloads.h"
#include "profile/facts.h"
#include "stats/summary.h"

namespace ridgeline {

std::unique_ptr<Workload> make_profiled_workload(const Engine& engine, const RowSpec& spec) {
  Backend& backend = engine.backend(spec.settings.device);
  if (const auto reason = reason_to_skip(spec, backend)) throw bad_input(*reason);
  const Bytes available = backend.facts(spec.settings.device.index).free_memory;
  if (spec.settings.device.kind == DeviceKind::Cpu && !fits(spec.model, spec.settings, available))
    throw Error(Fault::Memory, shortage_message(spec.model, spec.settings, available));
  return std::unique_ptr<Workload>(
      engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(spec.model, spec.settings, backend));
}

std::optional<Seconds> step_before_watching(const Engine& engine, const RowSpec& spec) {
  constexpr int kMostSteps = 500;
  constexpr Seconds kUnsettled{0.2};
  constexpr Seconds kWatched{1};
  const std::unique_ptr<Workload> workload = make_profiled_workload(engine, spec);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Seconds> times;
  for (int i = 0; i < kMostSteps; ++i) {
    if (interrupted()) return std::nullopt;
    const Seconds time = workload->step().total;
    const Seconds since = std::chrono::steady_clock::now() - begin;
    if (since > kUnsettled) times.push_back(time);
    if (since > kUnsettled + kWatched && times.size() >= 3) break;
  }
  return summarise(times).median;
}

ProfileFacts facts_about(const ProfileSubject& subject, const ProfileResult& result,
                         const Engine& engine) {
  return facts_of(result, known_facts(subject.spec.model, subject.spec.settings, engine));
}

}  // namespace ridgeline
