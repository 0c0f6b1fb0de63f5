#include "report/label_placement.h"

#include <gtest/gtest.h>

#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr PageBox kArea{.left = 0, .bottom = 0, .right = 200, .top = 100};

TEST(LabelPlacementTest, ALoneLabelStandsToTheRightOfItsDot) {
  const auto placed =
      place_labels({{.x = 50, .y = 50, .radius = 3, .width = 40, .height = 10}}, {}, kArea);
  ASSERT_EQ(placed.size(), 1U);
  ASSERT_TRUE(placed[0]);
  EXPECT_DOUBLE_EQ(placed[0]->box.left, 55);
  EXPECT_DOUBLE_EQ(placed[0]->box.bottom, 45);
  EXPECT_FALSE(placed[0]->far);
}

TEST(LabelPlacementTest, AtTheEdgeItStandsToTheLeft) {
  const auto placed =
      place_labels({{.x = 190, .y = 50, .radius = 3, .width = 40, .height = 10}}, {}, kArea);
  ASSERT_TRUE(placed[0]);
  EXPECT_DOUBLE_EQ(placed[0]->box.right, 185);
}

TEST(LabelPlacementTest, WhereAllIsTakenThereIsNoLabel) {
  EXPECT_FALSE(place_labels({{.x = 50, .y = 50, .radius = 3, .width = 40, .height = 10}}, {kArea},
                            kArea)[0]);
  EXPECT_FALSE(
      place_labels({{.x = 50, .y = 50, .radius = 3, .width = 400, .height = 10}}, {}, kArea)[0]);
}

TEST(LabelPlacementTest, NeverDoAnyTwoOverlapNorLeaveTheArea) {
  Random random(7, 0);
  for (int round = 0; round < 50; ++round) {
    std::vector<LabelWish> wishes;
    std::vector<PageBox> dots;
    for (int i = 0; i < 30; ++i) {
      const auto x = static_cast<double>(random.below(200));
      const auto y = static_cast<double>(random.below(100));
      wishes.push_back({.x = x, .y = y, .radius = 2, .width = 20, .height = 6});
      dots.push_back({.left = x - 2, .bottom = y - 2, .right = x + 2, .top = y + 2});
    }
    std::vector<PageBox> taken = dots;
    int count = 0;
    for (const auto& label : place_labels(wishes, dots, kArea)) {
      if (!label) continue;
      ++count;
      EXPECT_TRUE(label->box.lies_in(kArea));
      for (const PageBox& other : taken) EXPECT_FALSE(label->box.overlaps(other));
      taken.push_back(label->box);
    }
    EXPECT_GT(count, 5);
  }
}

}  // namespace
}  // namespace ridgeline
