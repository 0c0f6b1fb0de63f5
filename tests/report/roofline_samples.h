#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "roofline/datasheet.h"
#include "roofline/points_file.h"
#include "stats/random.h"

namespace ridgeline::testing {

inline RooflinePoint made_point(std::string label, double ms, double gflop, double megabytes) {
  RooflinePoint point{.label = std::move(label), .time = Seconds{ms / 1e3}};
  point.flop[index_of(ComputePath::Fp32)] = Flop{gflop * 1e9};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{megabytes * 1e6};
  return point;
}

// Spread under the roof of an L4, the same every time.
inline PointSet many_points(int count) {
  PointSet set{.label = fmt::format("{} points", count)};
  Random random(5, 0);
  const auto uniform = [&] { return static_cast<double>(random.below(1000)) / 1000; };
  for (int i = 0; i < count; ++i) {
    const double intensity = std::pow(10, -1.5 + 4 * uniform());
    const double gflops = std::min(30300.0, 300 * intensity) * std::pow(10, -2 * uniform());
    const double ms = 0.001 * std::pow(10, 2.5 * uniform());
    set.points.push_back(
        made_point(fmt::format("kernel_{}", i), ms, gflops * ms / 1e3, gflops * ms / intensity));
    set.points.back().kind = static_cast<OpKind>(random.below(kOpKinds));
  }
  return set;
}

}  // namespace ridgeline::testing
