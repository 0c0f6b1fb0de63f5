#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/samples.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::normal;

void append(std::vector<double>& values, std::size_t count, double mean, double spread,
            Random& random) {
  for (std::size_t i = 0; i < count; ++i) values.push_back(mean + spread * normal(random));
}

double plain_cost(const std::vector<double>& values, std::size_t begin, std::size_t end,
                  double floor) {
  const auto count = static_cast<double>(end - begin);
  double mean = 0, squares = 0;
  for (std::size_t i = begin; i < end; ++i) mean += values[i] / count;
  for (std::size_t i = begin; i < end; ++i) squares += std::pow(values[i] - mean, 2);
  return count * std::log(std::max(squares / count, floor));
}

// Every segmentation considered, nothing pruned.
std::vector<std::size_t> exhaustive(const std::vector<double>& values,
                                    const ChangePointOptions& options) {
  const std::size_t n = values.size();
  const double penalty = options.penalty_factor * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = 2; end <= n; ++end) {
    for (std::size_t begin = 0; begin + 2 <= end; ++begin) {
      const double cost =
          best[begin] + plain_cost(values, begin, end, options.variance_floor) + penalty;
      if (cost >= best[end]) continue;
      best[end] = cost;
      previous[end] = begin;
    }
  }
  std::vector<std::size_t> changes;
  for (std::size_t end = previous[n]; end > 0; end = previous[end]) changes.push_back(end);
  std::ranges::reverse(changes);
  return changes;
}

TEST(ChangePointsTest, AChangeOfMeanIsFoundWhereItIs) {
  std::vector<double> values(40, 1.0);
  values.resize(100, 2.0);
  EXPECT_THAT(find_change_points(values), ElementsAre(40));
}

TEST(ChangePointsTest, AChangeOfVarianceAloneIsFound) {
  Random random(2);
  std::vector<double> values;
  append(values, 200, 1.0, 0.01, random);
  append(values, 200, 1.0, 0.2, random);
  const auto changes = find_change_points(values);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NEAR(static_cast<double>(changes[0]), 200, 5);
}

TEST(ChangePointsTest, NoiseWithoutAChangeHasNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<double> values;
    append(values, 500, 1.0, 0.03, random);
    EXPECT_THAT(find_change_points(values), IsEmpty());
  }
}

TEST(ChangePointsTest, PruningLosesNothingAgainstTheExhaustiveSearch) {
  // A small penalty, so that there are many change points to get wrong.
  const ChangePointOptions options{.penalty_factor = 1};
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::vector<double> values;
    while (values.size() < 80) {
      append(values, 2 + random.below(20), random.uniform(), 0.2 * random.uniform(), random);
    }
    const auto changes = find_change_points(values, options);
    EXPECT_EQ(changes, exhaustive(values, options)) << "seed " << seed;
    found += changes.size();
  }
  EXPECT_GT(found, 200U);
}

TEST(ChangePointsTest, LongSeriesAreSearchedOnAGridAndThenExactly) {
  std::vector<double> values(30'011, 1.0);
  values.resize(70'003, 1.5);
  values.resize(100'001, 1.2);
  EXPECT_THAT(find_change_points(values), ElementsAre(30'011, 70'003));
}

TEST(ChangePointsTest, TooFewValuesForTwoSegmentsHaveNone) {
  EXPECT_THAT(find_change_points({}), IsEmpty());
  EXPECT_THAT(find_change_points(std::vector{1.0, 2.0, 9.0}), IsEmpty());
}

}  // namespace
}  // namespace ridgeline
