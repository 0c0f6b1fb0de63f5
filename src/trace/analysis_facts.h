#pragma once

#include "trace/analysis.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// What the rules of findings.h may know from a trace alone, of one step (or of the whole trace
// where it has none). Of several devices: OtherDevices.
[[nodiscard]] ProfileFacts facts_of(const TraceAnalysis& analysis);

// Of one step; absent without waits.
[[nodiscard]] std::optional<WaitFacts> wait_facts(const HostWaits& waits, double steps);

}  // namespace ridgeline
