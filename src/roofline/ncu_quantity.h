#pragma once

#include <bitset>
#include <string_view>

#include "roofline/ncu_report.h"

namespace ridgeline {

enum class QuantityState { Absent, Unavailable, Overflowed, Value };
// "is missing", "is n/a", "overflowed"
[[nodiscard]] std::string_view description_of(QuantityState state);

struct Quantity {
  QuantityState state = QuantityState::Absent;
  double value = 0;
};

// The sum over one call, from whatever form the file has it in: a sum, a rate times the kernel's
// time, or a count a cycle times its cycles.
[[nodiscard]] Quantity ncu_quantity(const NcuKernel& kernel, NcuMetric metric);

// What some kernel of the file has, were it more than a counter holds. A column of which no kernel
// has a value is not there: ncu writes n/a all the way down for a counter that the chip has not.
using NcuMetrics = std::bitset<kNcuMetrics>;
[[nodiscard]] NcuMetrics metrics_of(const NcuReport& report);

}  // namespace ridgeline
