#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/page_text.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// Where the texts of a scene stand so that none covers another, a dot or a roof.
struct RooflineLayout {
  std::vector<PageText> texts{};
  std::vector<PageLine> leaders{};  // from a dot to a name that found no place beside it
};
[[nodiscard]] RooflineLayout lay_out(const RooflineScene& scene);

// Of these the names of roofs and knees, and where a place on the page lies on the axes: for a
// picture with axes of its own, of about this shape.
[[nodiscard]] std::vector<PageText> ceiling_texts(const RooflineScene& scene);
struct AxesPlace {
  double x{};  // FLOP/byte
  double y{};  // GFLOP/s
};
[[nodiscard]] AxesPlace axes_place(const RooflineScene& scene, const PageText& text);

// Of the disc, whose area is the point's share of the time: never too small to be seen, and a run
// that is one point is no blot.
[[nodiscard]] double radius_of(const RooflineDot& dot);

}  // namespace ridgeline
