#pragma once

#include "trace/analysis.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What the rules of findings.h may know from a trace alone, of one step (or of the whole trace
// where it has none). Of several devices: OtherDevices.
[[nodiscard]] ProfileFacts facts_of(const TraceAnalysis& analysis);

// Of one step and one device; absent where no launch of its work is known.
[[nodiscard]] std::optional<IdleFacts> idle_facts(const std::vector<StepIdle>& idle,
                                                  std::int64_t device, double steps);

// Of one step; absent without waits.
[[nodiscard]] std::optional<WaitFacts> wait_facts(const HostWaits& waits, double steps);

}  // namespace ridgeline
