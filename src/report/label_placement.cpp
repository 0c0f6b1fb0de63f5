#include "report/label_placement.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

struct Direction {
  double x;
  double y;
};
// In the order in which a reader looks for a name: right, left, above, below, then the corners.
constexpr std::array kDirections{Direction{1, 0},    Direction{-1, 0},   Direction{0, 1},
                                 Direction{0, -1},   Direction{1, 1},    Direction{1, -1},
                                 Direction{-1, 1},   Direction{-1, -1},  Direction{1, 0.5},
                                 Direction{1, -0.5}, Direction{-1, 0.5}, Direction{-1, -0.5}};
constexpr std::array kGaps{2.0, 10.0, 20.0, 32.0, 46.0};
constexpr double kFarGap = 10;

PageBox box_at(const LabelWish& wish, const Direction& direction, double gap) {
  const double reach = wish.radius + gap;
  const double x = wish.x + direction.x * (reach + wish.width / 2);
  const double y = wish.y + direction.y * (reach + wish.height / 2);
  return {.left = x - wish.width / 2,
          .bottom = y - wish.height / 2,
          .right = x + wish.width / 2,
          .top = y + wish.height / 2};
}

}  // namespace

std::vector<std::optional<PlacedLabel>> place_labels(const std::vector<LabelWish>& wishes,
                                                     const std::vector<PageBox>& obstacles,
                                                     const PageBox& area) {
  std::vector<PageBox> taken = obstacles;
  std::vector<std::optional<PlacedLabel>> placed;
  for (const LabelWish& wish : wishes) {
    std::optional<PlacedLabel> found;
    for (const double gap : kGaps) {
      for (const Direction& direction : kDirections) {
        const PageBox box = box_at(wish, direction, gap);
        const auto hit = [&](const PageBox& other) { return box.overlaps(other); };
        if (found || !box.lies_in(area) || std::ranges::any_of(taken, hit)) continue;
        found = PlacedLabel{.box = box, .far = gap >= kFarGap};
      }
    }
    if (found) taken.push_back(found->box);
    placed.push_back(found);
  }
  return placed;
}

}  // namespace ridgeline
