#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "core/units.h"
#include "stats/random.h"

namespace ridgeline::testing {

inline std::vector<Seconds> seconds(std::initializer_list<double> values) {
  std::vector<Seconds> times;
  for (const double value : values) times.emplace_back(value);
  return times;
}

// 1 s, 2 s, ... count s: the value of a sample is its rank.
inline std::vector<Seconds> one_to(std::size_t count) {
  std::vector<Seconds> times;
  for (std::size_t i = 1; i <= count; ++i) times.emplace_back(static_cast<double>(i));
  return times;
}

// Standard normal (Box and Muller).
inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Appends `count` times about `level` with a relative deviation of `spread`.
inline void append_level(std::vector<Seconds>& times, std::size_t count, double level,
                         double spread, Random& random) {
  for (std::size_t i = 0; i < count; ++i) {
    times.emplace_back(level * (1 + spread * normal(random)));
  }
}

}  // namespace ridgeline::testing
