#include "stats/abba.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(AbbaTest, EachArmGoesFirstOnceInEveryBlock) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto order = abba_order(24, seed);
    ASSERT_EQ(order.size(), 24U);
    for (std::size_t i = 0; i < order.size(); i += 2) EXPECT_NE(order[i], order[i + 1]);
  }
}

TEST(AbbaTest, BlocksOpenWithEitherArmAboutEquallyOften) {
  const auto order = abba_order(20'000, 9);
  std::size_t a_opens = 0;
  for (std::size_t i = 0; i < order.size(); i += 2) a_opens += order[i] ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(a_opens), 5'000, 250);
}

TEST(AbbaTest, SeedDecidesTheOrder) {
  EXPECT_EQ(abba_order(64, 1), abba_order(64, 1));
  EXPECT_NE(abba_order(64, 1), abba_order(64, 2));
}

TEST(AbbaTest, OddAndZeroRoundsAreAllowed) {
  EXPECT_EQ(abba_order(3, 1).size(), 3U);
  EXPECT_TRUE(abba_order(0, 1).empty());
}

}  // namespace
}  // namespace ridgeline
