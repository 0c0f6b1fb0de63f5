#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "roofline/counter_totals.h"
#include "roofline/point.h"

namespace ridgeline {

// What hardware counters say of one launch. A counter that was not collected, overflowed or lost a
// pass is absent.
struct CountedKernel {
  std::string name{};  // as the profiler's recording has it
  std::array<std::optional<Flop>, kComputePaths> flop{};
  std::array<std::optional<Bytes>, kMemoryLevels> bytes{};
  CounterTotals totals{};   // of this launch alone
  bool is_partial = false;  // a counter that the device has gave no number for this launch
};

struct JoinedKernels {
  std::vector<RooflinePoint> points{};  // launches in their order
  // Of them, those that still say what shapes ask for: with a counter lost, or none for the unit
  // that they need, the others would be a part of what the launch did.
  std::size_t without_counters{};
  // Of the launches that have both: what was moved, and what had to be. The ratio is wasted
  // traffic.
  Bytes moved{};
  Bytes least{};
  [[nodiscard]] std::optional<double> traffic_ratio() const;
  CounterTotals totals{};
};

// Counters take the place of what shapes say, launch by launch. Both are of the same work in the
// same order: `launches` of the unreplayed run that has the times, with the names of their kernels,
// `counted` of the run that was counted. Throws Error(BadInput) that says where the two part.
[[nodiscard]] JoinedKernels join_counters(const std::vector<std::string>& kernels,
                                          const std::vector<RooflinePoint>& launches,
                                          const std::vector<CountedKernel>& counted);

}  // namespace ridgeline
