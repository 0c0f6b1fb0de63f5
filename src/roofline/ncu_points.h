#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/counter_totals.h"
#include "roofline/ncu_report.h"
#include "roofline/point.h"

namespace ridgeline {

// A kernel that is not in the sums, and why: a counter that overflowed, a pass that was dropped.
struct LeftOut {
  std::string kernel{};
  std::string reason{};
  std::optional<Seconds> time{};
};

struct NcuPoints {
  std::vector<RooflinePoint> points{};  // one a kernel of the file, in its order
  std::vector<LeftOut> left_out{};
  CounterTotals totals{};
  std::vector<std::string> notes{};  // sentences about what was tolerated or is missing
  std::string device_name{};
};

// Throws Error(BadInput) of one line when no kernel can be placed: time, FLOPs or DRAM bytes are
// missing from the file (with the ncu command that collects them) or from every kernel.
[[nodiscard]] NcuPoints points_of(const NcuReport& report);

}  // namespace ridgeline
