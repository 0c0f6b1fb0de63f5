#pragma once

#include <span>
#include <string>
#include <vector>

#include "roofline/counted_kernels.h"

namespace ridgeline {

// The counters that place a kernel on a roofline, as ncu and CUPTI spell them: FLOPs of the vector
// units and of the tensor cores by format, bytes of DRAM, L2 and L1. Chips spell some differently
// or have parts in place of a sum: every spelling is asked for, and no chip has all of them.
[[nodiscard]] std::vector<std::string> roofline_counters();

// Of a chip without these spellings, what it cannot count at all, by its first name.
[[nodiscard]] std::vector<std::string> not_counted(std::span<const std::string> unsupported);

// What the readings of one launch mean, by the same definitions as in a file of ncu. `values` are
// those of the metrics, not finite where one was not read: then what it counts is absent.
[[nodiscard]] CountedKernel counted_kernel(const std::string& name,
                                           std::span<const std::string> metrics,
                                           std::span<const double> values);

}  // namespace ridgeline
