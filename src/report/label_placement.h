#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ridgeline {

// A rectangle on the page; y grows upwards.
struct PageBox {
  double left{};
  double bottom{};
  double right{};
  double top{};
  [[nodiscard]] bool overlaps(const PageBox& other) const {
    return left < other.right && other.left < right && bottom < other.top && other.bottom < top;
  }
  [[nodiscard]] bool lies_in(const PageBox& area) const {
    return left >= area.left && right <= area.right && bottom >= area.bottom && top <= area.top;
  }
};

// A label that wants to stand at a dot.
struct LabelWish {
  double x{};
  double y{};
  double radius{};  // of the dot
  double width{};
  double height{};
};

struct PlacedLabel {
  PageBox box{};
  bool far = false;  // so far from its dot that a line should lead to it
};

// A place for each label, the first wishes first: beside its dot or, where that is taken, further
// out; none where all is taken. No two labels overlap, nor any of the obstacles.
[[nodiscard]] std::vector<std::optional<PlacedLabel>> place_labels(
    const std::vector<LabelWish>& wishes, const std::vector<PageBox>& obstacles,
    const PageBox& area);

}  // namespace ridgeline
