#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/label_placement.h"

namespace ridgeline {

inline constexpr double kRooflineFont = 9;
inline constexpr double kRooflineSmallFont = 7.5;
inline constexpr double kLineHeight = 1.35;  // of a font's size

struct PageText {
  std::string text{};
  double x{};
  double y{};
  std::string_view align = "left";
  double font = kRooflineFont;
  std::string_view colour = "#3c4149";
  double angle = 0;  // degrees
};

struct PageLine {
  double x0{};
  double y0{};
  double x1{};
  double y1{};
};

// Near enough for layout: the font is not asked.
[[nodiscard]] double text_width(std::string_view text, double font);
[[nodiscard]] PageBox box_of(const PageText& label);

// Small boxes along a line or a turned text, which other texts keep off.
void block_line(const PageLine& line, std::vector<PageBox>& obstacles);
void block_text(const PageText& label, std::vector<PageBox>& obstacles);

// Of its whole length no box may lie on an obstacle.
[[nodiscard]] bool is_clear(const PageText& label, const std::vector<PageBox>& obstacles);

}  // namespace ridgeline
