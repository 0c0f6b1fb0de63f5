#pragma once

#include <optional>

#include "core/units.h"

namespace ridgeline {

// Sums over kernels as the summary file shows them. What was not counted of every kernel is absent.
struct CounterTotals {
  std::optional<double> fadd{};
  std::optional<double> fmul{};
  std::optional<double> ffma{};
  std::optional<Bytes> dram_read{};
  std::optional<Bytes> dram_write{};
};

}  // namespace ridgeline
