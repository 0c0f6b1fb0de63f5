#include "roofline/counted_kernels.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"

namespace ridgeline {
namespace {

bool has_any(const auto& counters) {
  return std::ranges::any_of(counters, [](const auto& counter) { return counter.has_value(); });
}

void require_same_work(const std::vector<std::string>& kernels,
                       const std::vector<CountedKernel>& counted) {
  const std::size_t both = std::min(kernels.size(), counted.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (kernels[i] == counted[i].name) continue;
    throw bad_input(fmt::format(
        "the counted step ran other kernels than the timed one: launch {} is {} there, {} here",
        i + 1, in_quotes(counted[i].name), in_quotes(kernels[i])));
  }
  if (kernels.size() != counted.size())
    throw bad_input(
        fmt::format("the counted step launched {} kernels, the timed one {}: alike up to launch {}",
                    counted.size(), kernels.size(), both));
}

// Half a sum is none.
template <class Number>
std::optional<Number> sum_of(const std::vector<CountedKernel>& kernels,
                             std::optional<Number> CounterTotals::*which) {
  if (kernels.empty()) return std::nullopt;
  Number sum{};
  for (const CountedKernel& kernel : kernels) {
    if (!(kernel.totals.*which)) return std::nullopt;
    sum = sum + *(kernel.totals.*which);
  }
  return sum;
}

CounterTotals totals_of(const std::vector<CountedKernel>& kernels) {
  return {.fadd = sum_of(kernels, &CounterTotals::fadd),
          .fmul = sum_of(kernels, &CounterTotals::fmul),
          .ffma = sum_of(kernels, &CounterTotals::ffma),
          .dram_read = sum_of(kernels, &CounterTotals::dram_read),
          .dram_write = sum_of(kernels, &CounterTotals::dram_write)};
}

// A chip may have no counter of the unit that the shapes need: zero would stand for what it did.
bool counts_all_of(const CountedKernel& kernel, const RooflinePoint& launch) {
  if (!has_any(kernel.flop)) return true;  // bytes alone, whose FLOPs stay those of the shapes
  for (std::size_t i = 0; i < kComputePaths; ++i)
    if (launch.flop[i].count > 0 && !kernel.flop[i]) return false;
  return true;
}

// What is left over of the shapes is the FLOPs of a kernel that has counters of bytes alone.
RooflinePoint with_counters(RooflinePoint point, const CountedKernel& kernel) {
  if (has_any(kernel.flop)) {
    for (std::size_t i = 0; i < kComputePaths; ++i) point.flop[i] = kernel.flop[i].value_or(Flop{});
    point.by_shapes = false;
  }
  point.bytes = kernel.bytes;
  return point;
}

}  // namespace

std::optional<double> JoinedKernels::traffic_ratio() const {
  if (!(least.count > 0)) return std::nullopt;
  return moved.count / least.count;
}

JoinedKernels join_counters(const std::vector<std::string>& kernels,
                            const std::vector<RooflinePoint>& launches,
                            const std::vector<CountedKernel>& counted) {
  RIDGELINE_CHECK(kernels.size() == launches.size());
  require_same_work(kernels, counted);
  JoinedKernels joined{.totals = totals_of(counted)};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const RooflinePoint& launch = launches[i];
    if (counted[i].is_partial || !has_any(counted[i].bytes) || !counts_all_of(counted[i], launch)) {
      ++joined.without_counters;
      joined.points.push_back(launch);
      continue;
    }
    joined.points.push_back(with_counters(launch, counted[i]));
    const auto moved = joined.points.back().of(MemoryLevel::Dram);
    const auto least = launch.of(MemoryLevel::Dram);
    if (!moved || !least) continue;
    joined.moved = joined.moved + *moved;
    joined.least = joined.least + *least;
  }
  return joined;
}

}  // namespace ridgeline
