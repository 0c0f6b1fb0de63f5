#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridgeline {

struct ChangePointOptions {
  double penalty_factor = 15;    // each change point costs this times ln n
  double variance_floor = 1e-8;  // a constant stretch would otherwise have cost minus infinity
  // Above this many values, change points are first sought on an even grid of so many places (with
  // the exact cost of all values between), then among all places near those found. Quadratic work
  // is what PELT comes to on a flat series; this bounds it at about 10^7 steps.
  std::size_t max_candidates = 4096;
};

// Shorter stretches have no variance.
inline constexpr std::size_t kMinSegmentLength = 2;

// First indices of the segments after the first, ascending, for the piecewise-constant Gaussian
// mean and variance of least penalised cost: PELT (Killick, Fearnhead and Eckley 2012), the cost of
// a segment being minus twice its log-likelihood.
[[nodiscard]] std::vector<std::size_t> find_change_points(std::span<const double> values,
                                                          const ChangePointOptions& options = {});

}  // namespace ridgeline
