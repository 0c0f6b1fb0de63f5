#include "data/epoch_order.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;

TEST(EpochOrderTest, EverySampleComesOnce) {
  auto order = epoch_order(1000, {.seed = 42, .epoch = 3});
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST(EpochOrderTest, SeedAndEpochChangeTheOrder) {
  const auto order = epoch_order(100, {.seed = 42, .epoch = 0});
  EXPECT_EQ(order, epoch_order(100, {.seed = 42, .epoch = 0}));
  EXPECT_NE(order, epoch_order(100, {.seed = 42, .epoch = 1}));
  EXPECT_NE(order, epoch_order(100, {.seed = 43, .epoch = 0}));
}

TEST(EpochOrderTest, WithoutShufflingTheOrderIsThatOfTheSet) {
  EXPECT_THAT(epoch_order(4, {.seed = 42, .epoch = 9, .shuffle = false}), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(epoch_order(0, {}).empty());
}

// A checkpoint made by one version must be resumed by the next with the same batches.
TEST(EpochOrderTest, TheOrderOfASeedNeverChanges) {
  EXPECT_THAT(epoch_order(8, {.seed = 42, .epoch = 0}), ElementsAre(2, 3, 6, 5, 1, 4, 0, 7));
}

}  // namespace
}  // namespace ridgeline
