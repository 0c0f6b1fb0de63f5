#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "roofline/ncu_report.h"

namespace ridgeline {

// The counters that place a kernel on a roofline, as ncu and CUPTI spell them: FLOPs of the vector
// units and of the tensor cores by format, bytes of DRAM, L2 and L1.
[[nodiscard]] std::vector<std::string> roofline_counters();

// One launch with its counters, in the order of the metrics; not finite where one was not read.
struct CountedLaunch {
  std::string name{};
  Seconds time{};
  std::vector<double> values{};
};

// As if ncu had written them: one definition of FLOPs and bytes for both.
[[nodiscard]] NcuReport report_of(const std::vector<std::string>& metrics,
                                  const std::vector<CountedLaunch>& launches,
                                  const std::string& source);

}  // namespace ridgeline
