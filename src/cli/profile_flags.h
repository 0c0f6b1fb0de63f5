#pragma once

#include <optional>
#include <string>

#include "cli/common_flags.h"
#include "cli/profile_observer.h"
#include "cli/train_flags.h"
#include "cli/workload_flags.h"
#include "profile/device_observer.h"
#include "profile/profile_steps.h"
#include "profile/profile_tables.h"

namespace ridgeline {

struct ProfileFlags {
  CommonFlags common;
  WorkloadFlags workload;
  StepSchedule schedule;
  std::optional<int> active;
  ObserverOptions observe;
  std::string graph_word = "node";
  GraphDetail graphs = GraphDetail::Nodes;
  bool host_only = false;
  std::string record_word = "auto";
  Sides sides = Sides::Auto;
  std::string trace_limit = "200MB";
  std::string group_by = "op";
  std::string sort_by = "device";
  ProfileView view;
  int cost_rounds = CostRounds{}.most;
  bool host_stacks = false;
  bool memory_snapshot = false;
  TrainFlags training;     // where --data is given: the loader's flags
  bool with_data = false;  // profile the training itself, not steps on a fixed batch
  bool with_target = false;
  bool dry_run = false;
};

// `--data` and the loader's flags among them.
void add_profile_flags(CLI::App& app, ProfileFlags& flags);
// Flags that only make sense together, and words that become values. Throws Error(BadInput).
void settle(ProfileFlags& flags);
// Whether ops and kernels are recorded apart. Throws Error(BadInput) where they cannot be.
[[nodiscard]] Sides sides_for(const ProfileFlags& flags, const RunSettings& settings);
// The one setting that is profiled.
[[nodiscard]] RowSpec spec_for(const ProfileFlags& flags, const Device& device);

}  // namespace ridgeline
