#include "cli/profile_subject.h"

#include "cli/profile_findings.h"
#include "core/error.h"
#include "measure/fit.h"
#include "measure/measure_row.h"
#include "models/workloads.h"
#include "profile/facts.h"

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

ProfileFacts facts_about(const ProfileSubject& subject, const ProfileResult& result,
                         const Engine& engine) {
  return facts_of(result, known_facts(subject.spec.model, subject.spec.settings, engine));
}

}  // namespace ridgeline
