#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace ridgeline {
namespace {

// Minus twice the log-likelihood of a stretch at its own mean and variance, less the terms that sum
// to the same for every segmentation. Constant time, from running sums.
class SegmentCost {
 public:
  SegmentCost(std::span<const double> values, double variance_floor)
      : variance_floor_(variance_floor), sums_(values.size() + 1), squares_(values.size() + 1) {
    // About the middle value, so that the squares do not cancel.
    std::vector<double> copy(values.begin(), values.end());
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
    std::ranges::nth_element(copy, middle);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i] - *middle;
      sums_[i + 1] = sums_[i] + value;
      squares_[i + 1] = squares_[i] + value * value;
    }
  }

  [[nodiscard]] double operator()(std::size_t begin, std::size_t end) const {
    const auto count = static_cast<double>(end - begin);
    const double mean = (sums_[end] - sums_[begin]) / count;
    const double variance = (squares_[end] - squares_[begin]) / count - mean * mean;
    return count * std::log(std::max(variance, variance_floor_));
  }

 private:
  double variance_floor_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

std::vector<std::size_t> even_grid(std::size_t count, std::size_t max_candidates) {
  const std::size_t stride = (count + max_candidates - 1) / max_candidates;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < count; place += stride) places.push_back(place);
  // The last stretch may be shorter than a segment can be; it then joins the one before.
  if (places.size() > 1 && stride > 1 && count - places.back() < kMinSegmentLength) {
    places.pop_back();
  }
  places.push_back(count);
  return places;
}

struct Candidate {
  std::size_t place{};  // index into the grid
  double cost{};        // up to the end under consideration, with a segment from here
  bool doomed = false;
};

// Change points of least cost among the places of the grid.
std::vector<std::size_t> least_cost_places(const SegmentCost& cost,
                                           const std::vector<std::size_t>& grid, double penalty) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> best(grid.size(), kInfinity);
  std::vector<std::size_t> previous(grid.size(), 0);
  std::vector<Candidate> candidates;
  best[0] = -penalty;
  for (std::size_t end = 1; end < grid.size(); ++end) {
    if (best[end - 1] < kInfinity) candidates.push_back({.place = end - 1});
    for (Candidate& candidate : candidates) {
      if (grid[end] - grid[candidate.place] < kMinSegmentLength) continue;
      candidate.cost = best[candidate.place] + cost(grid[candidate.place], grid[end]);
      if (candidate.cost + penalty < best[end]) {
        best[end] = candidate.cost + penalty;
        previous[end] = candidate.place;
      }
    }
    // A start that loses to a cut at `end` can never win again, except for the next end, which is
    // too near to be cut off at `end`: hence it goes one turn after it was found to lose.
    std::erase_if(candidates, [](const Candidate& c) { return c.doomed; });
    for (Candidate& candidate : candidates) {
      const bool judged = grid[end] - grid[candidate.place] >= kMinSegmentLength;
      candidate.doomed = judged && candidate.cost >= best[end];
    }
  }
  std::vector<std::size_t> changes;
  for (std::size_t end = previous.back(); end > 0; end = previous[end]) {
    changes.push_back(grid[end]);
  }
  std::ranges::reverse(changes);
  return changes;
}

// Every place within a stride of a change point: a cell of the grid that holds a change is often
// cut off at both its ends, and the two cuts must be able to become one.
std::vector<std::size_t> places_about(const std::vector<std::size_t>& changes, std::size_t count,
                                      std::size_t stride) {
  std::vector<std::size_t> places{0};
  for (const std::size_t change : changes) {
    const std::size_t first = std::max(places.back() + 1, change - stride);
    for (std::size_t place = first; place < std::min(count, change + stride + 1); ++place) {
      places.push_back(place);
    }
  }
  places.push_back(count);
  return places;
}

}  // namespace

std::vector<std::size_t> find_change_points(std::span<const double> values,
                                            const ChangePointOptions& options) {
  RIDGELINE_CHECK(options.variance_floor > 0 && options.max_candidates > 0);
  if (values.size() < 2 * kMinSegmentLength) return {};
  const SegmentCost cost(values, options.variance_floor);
  const double penalty = options.penalty_factor * std::log(static_cast<double>(values.size()));
  const auto grid = even_grid(values.size(), options.max_candidates);
  auto changes = least_cost_places(cost, grid, penalty);
  const std::size_t stride = grid[1];
  if (stride == 1 || changes.empty()) return changes;
  return least_cost_places(cost, places_about(changes, values.size(), stride), penalty);
}

}  // namespace ridgeline
