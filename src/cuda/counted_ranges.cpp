#include "cuda/counted_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

// What is swept is some times the L2, so that most of it comes from DRAM whatever lay there before.
constexpr double kLeastSwept = 0.5;
constexpr std::array<std::string_view, 2> kDramReads{"dram__bytes_read.sum",
                                                     "dram__bytes_op_read.sum"};

void require_pairs(const CountedRanges& counted) {
  const std::size_t each = counted.swept ? 2 : 1;
  if (counted.ranges.size() == each * counted.launched.size()) return;
  throw Error(Fault::Device,
              fmt::format("CUPTI counted {} ranges of {} kernels{}: they cannot be told apart",
                          counted.ranges.size(), counted.launched.size(),
                          counted.swept ? " and as many that empty the caches" : ""));
}

// A shift by one would make every kernel's bytes those of a sweep.
void require_sweeps(const CountedRanges& counted, std::span<const std::string> metrics) {
  const auto place = std::ranges::find_first_of(metrics, kDramReads) - metrics.begin();
  if (std::cmp_equal(place, metrics.size())) return;
  for (std::size_t i = 0; i < counted.ranges.size(); i += 2) {
    const double read = counted.ranges[i].at(static_cast<std::size_t>(place));
    if (!std::isfinite(read) || read >= kLeastSwept * counted.swept->count) continue;
    throw Error(Fault::Device,
                fmt::format("range {} of {} should have emptied the caches with {:.0f} MB and read "
                            "{:.1f}: ranges and launches do not pair",
                            i + 1, counted.ranges.size(), counted.swept->count / 1e6, read / 1e6));
  }
}

}  // namespace

std::vector<KernelReadings> kernels_of_ranges(CountedRanges counted,
                                              std::span<const std::string> metrics) {
  require_pairs(counted);
  if (counted.swept) require_sweeps(counted, metrics);
  const std::size_t each = counted.swept ? 2 : 1;
  std::vector<KernelReadings> kernels;
  kernels.reserve(counted.launched.size());
  for (std::size_t i = 0; i < counted.launched.size(); ++i)
    kernels.push_back({.name = std::move(counted.launched[i]),
                       .values = std::move(counted.ranges[each * i + each - 1])});
  return kernels;
}

}  // namespace ridgeline
