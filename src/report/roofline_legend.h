#pragma once

#include <string_view>
#include <vector>

#include "report/page_text.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The page of a roofline in points (1/72 inch): 10 by 6.67 inches.
inline constexpr double kRooflineWidth = 720;
inline constexpr double kRooflineHeight = 480;

// How the dots of a run are drawn, so that runs stay apart in one colour: an outline, filled or
// not. The first of several is hollow.
struct RunMarker {
  int outline{};  // gnuplot's point type
  int filling{};  // likewise; 0: hollow
  std::string_view plotly{};
};
[[nodiscard]] RunMarker marker_of(std::size_t set, std::size_t sets);

// Okabe and Ito's colours, the same for a kind in every picture.
[[nodiscard]] std::string_view colour_of(OpKind kind);

struct LegendMark {
  double x{};
  double y{};
  int point_type{};
  std::string_view colour{};
};

// Kinds and runs with their names, in as many rows as they need below the axes.
struct RooflineLegend {
  std::vector<LegendMark> marks{};
  std::vector<PageText> texts{};
  std::size_t rows = 0;
};
[[nodiscard]] RooflineLegend legend_of(const RooflineScene& scene);

// What could not be drawn, and why, at the foot of the page: broken into lines.
[[nodiscard]] std::vector<PageText> notes_below(const RooflineScene& scene);

// Where the axes enclose data: higher above the page's foot where legend or notes need more rows.
[[nodiscard]] PageBox roofline_area(const RooflineScene& scene);

}  // namespace ridgeline
