#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profile/module_table.h"
#include "profile/op_table.h"
#include "profile/profile_steps.h"

namespace ridgeline {

// What profile.json holds, in seconds and bytes: steps, cost, ops, modules, memory, gaps. A key
// that cannot be known is absent.
[[nodiscard]] nlohmann::json profile_json(const ProfileResult& result, const OpTable& ops,
                                          const ModuleTable& modules);

// A line for each thing that the recording lacks; empty in the normal case.
[[nodiscard]] std::vector<std::string> gap_lines(const RecordingGaps& gaps);

// Host memory over the recorded steps; absent without allocation records.
struct MemoryPeak {
  std::int64_t bytes{};  // allocated at the worst moment
  StepPhase phase = StepPhase::None;
  std::string module{};
  std::string op{};
  Nanoseconds time{};
  std::uint64_t allocations{};
  std::int64_t allocated{};  // sum of all allocations, freed or not
};
[[nodiscard]] std::optional<MemoryPeak> memory_peak(const Recording& recording);

}  // namespace ridgeline
