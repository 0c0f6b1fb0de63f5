#include "stats/random.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

TEST(RandomTest, StreamZeroGivesThePublishedValuesOfSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
  EXPECT_EQ(random.next(), 4593380528125082431U);
  EXPECT_EQ(random.next(), 16408922859458223821U);
}

TEST(RandomTest, StreamsOfOneSeedDiffer) {
  Random first(7, 1), second(7, 2), again(7, 1);
  const auto value = first.next();
  EXPECT_NE(value, second.next());
  EXPECT_EQ(value, again.next());
}

TEST(RandomTest, UniformsFillTheUnitIntervalEvenly) {
  Random random(3);
  std::array<int, 10> bins{};
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++bins.at(static_cast<std::size_t>(u * 10));
  }
  EXPECT_GT(std::ranges::min(bins), 9'500);  // five deviations are 474
  EXPECT_LT(std::ranges::max(bins), 10'500);
}

TEST(RandomTest, DrawsBelowABoundReachEveryValueAndNoOther) {
  Random random(4);
  std::array<int, 3> counts{};
  for (int i = 0; i < 30'000; ++i) ++counts.at(random.below(3));
  EXPECT_GT(std::ranges::min(counts), 9'500);
}

TEST(RandomTest, DrawsBelowOneAreZero) { EXPECT_EQ(Random(1).below(1), 0U); }

TEST(RandomTest, ABoundOfZeroIsOurMistake) { EXPECT_THROW((void)Random(1).below(0), Error); }

}  // namespace
}  // namespace ridgeline
