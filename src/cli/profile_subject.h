#pragma once

#include <memory>
#include <optional>

#include "cli/profile_training.h"
#include "measure/row_spec.h"
#include "profile/profile_steps.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What `profile` steps, and what is known of it.
struct ProfileSubject {
  RowSpec spec{};
  ProfiledTraining training{};           // with --data
  std::unique_ptr<Workload> workload{};  // without
  [[nodiscard]] Workload& steps() const {
    return training.workload ? static_cast<Workload&>(*training.workload) : *workload;
  }
};

// Steps on one batch. Error(BadInput) when the setting cannot run, Error(Memory) when it does not
// fit.
[[nodiscard]] std::unique_ptr<Workload> make_profiled_workload(const Engine& engine,
                                                               const RowSpec& spec);

// What a step takes before a device's observer has come: from a captured graph that cannot go away
// again. On a workload that is gone afterwards; the median of a second of steps. Absent when
// interrupted.
[[nodiscard]] std::optional<Seconds> step_before_watching(const Engine& engine,
                                                          const RowSpec& spec);

// What the findings of its profile are drawn from.
[[nodiscard]] ProfileFacts facts_about(const ProfileSubject& subject, const ProfileResult& result,
                                       const Engine& engine);

}  // namespace ridgeline
