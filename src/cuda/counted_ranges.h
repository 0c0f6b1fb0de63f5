#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units.h"
#include "profile/device_counters.h"

namespace ridgeline {

// What a pass counted, a range for each kernel that ran, and what was launched meanwhile.
struct CountedRanges {
  std::vector<std::vector<double>> ranges{};  // in the order of their launches, as the metrics are
  std::vector<std::string> launched{};  // kernels of the step, without those that empty caches
  // Before each of them a kernel of ours read so much to empty the caches, and has a range too.
  std::optional<Bytes> swept{};
};

// Gives each launch its own range and drops those of the kernels that emptied the caches. Throws
// Error(Device) where ranges and launches do not pair: a range of the wrong launch is a wrong
// number that nobody would see. Ranges have no names, so the pairs are told by their number and by
// what emptying the caches reads from DRAM.
[[nodiscard]] std::vector<KernelReadings> kernels_of_ranges(CountedRanges counted,
                                                            std::span<const std::string> metrics);

}  // namespace ridgeline
