#include "report/page_text.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/display.h"

namespace ridgeline {
namespace {

constexpr double kCharacterWidth = 0.6;  // of DejaVu Sans, of its size

}  // namespace

double text_width(std::string_view text, double font) {
  return static_cast<double>(display_width(text)) * kCharacterWidth * font;
}

PageBox box_of(const PageText& label) {
  const double width = text_width(label.text, label.font);
  const double half = label.font * kLineHeight / 2;
  const double left = label.align == "right"    ? label.x - width
                      : label.align == "center" ? label.x - width / 2
                                                : label.x;
  return {.left = left, .bottom = label.y - half, .right = left + width, .top = label.y + half};
}

// Small boxes along a line, which names keep off.
void block_line(const PageLine& line, std::vector<PageBox>& obstacles) {
  constexpr int kPieces = 60;
  const double dx = (line.x1 - line.x0) / kPieces;
  const double dy = (line.y1 - line.y0) / kPieces;
  for (int i = 0; i < kPieces; ++i) {
    const double x = line.x0 + dx * i;
    const double y = line.y0 + dy * i;
    obstacles.push_back({.left = std::min(x, x + dx) - 1,
                         .bottom = std::min(y, y + dy) - 1,
                         .right = std::max(x, x + dx) + 1,
                         .top = std::max(y, y + dy) + 1});
  }
}

// A turned text takes small boxes along itself.
void block_text(const PageText& label, std::vector<PageBox>& obstacles) {
  if (label.angle == 0) {
    obstacles.push_back(box_of(label));
    return;
  }
  const double half = text_width(label.text, label.font) / 2;
  const double angle = label.angle * std::numbers::pi / 180;
  const double reach = label.font * 0.6;
  for (double along = -half; along <= half; along += label.font / 2) {
    const double x = label.x + along * std::cos(angle);
    const double y = label.y + along * std::sin(angle);
    obstacles.push_back(
        {.left = x - reach, .bottom = y - reach, .right = x + reach, .top = y + reach});
  }
}

// Of its whole length no box may lie on a dot or a line.
bool is_clear(const PageText& label, const std::vector<PageBox>& obstacles) {
  std::vector<PageBox> boxes;
  block_text(label, boxes);
  return std::ranges::none_of(boxes, [&](const PageBox& box) {
    return std::ranges::any_of(obstacles,
                               [&](const PageBox& other) { return box.overlaps(other); });
  });
}

}  // namespace ridgeline
