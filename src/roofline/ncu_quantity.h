#pragma once

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

}  // namespace ridgeline
