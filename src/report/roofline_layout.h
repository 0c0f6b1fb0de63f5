#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/label_placement.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The page of a roofline in points (1/72 inch): 10 by 6.67 inches, and where its axes enclose data.
inline constexpr double kRooflineWidth = 720;
inline constexpr double kRooflineHeight = 480;
inline constexpr PageBox kRooflineArea{.left = 62, .bottom = 94, .right = 704, .top = 432};
inline constexpr double kRooflineFont = 9;
inline constexpr double kRooflineSmallFont = 7.5;

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

// Where the texts of a scene stand so that none covers another, a dot or a roof.
struct RooflineLayout {
  std::vector<PageText> texts{};
  std::vector<PageLine> leaders{};  // from a dot to a name that found no place beside it
};
[[nodiscard]] RooflineLayout lay_out(const RooflineScene& scene);

// Of the disc, whose area is the point's share of the time: never too small to be seen, and a run
// that is one point is no blot.
[[nodiscard]] double radius_of(const RooflineDot& dot);

}  // namespace ridgeline
