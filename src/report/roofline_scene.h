#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roofline/points_file.h"

namespace ridgeline {

// A roofline as it is drawn, apart from what draws it: x in FLOP/byte, y in GFLOP/s.
struct RoofLine {
  std::string label{};  // "DRAM 300 GB/s", "fp32 30.3 TFLOP/s"
  bool is_memory = false;
  double x0{};
  double y0{};
  double x1{};
  double y1{};
};

struct RooflineDot {
  double x{};
  double y{};
  double share{};  // of the time of its set
  OpKind kind = OpKind::Other;
  std::size_t set{};
  std::size_t place{};  // among the points of its set
  std::string label{};
  std::vector<std::string> facts{};  // for who points at it: calls, time, bound
};

// From a point of the first set to its like in the second.
struct RooflineArrow {
  std::size_t from{};
  std::size_t to{};
};

// More of them hide each other in a picture; a page has all.
inline constexpr std::size_t kMostDrawnArrows = 40;

struct RooflineKnee {
  double x{};
  double y{};
  std::string label{};
};

struct RooflineScene {
  std::string title{};
  std::string subtitle{};
  std::string x_label{};
  MemoryLevel level = MemoryLevel::Dram;  // whose intensity is along x
  double x_low{};
  double x_high{};
  double y_low{};
  double y_high{};
  std::vector<RoofLine> roofs{};
  std::vector<RooflineKnee> knees{};
  std::vector<RooflineDot> dots{};      // largest first, so that small ones are drawn over them
  std::vector<RooflineArrow> arrows{};  // of the largest dots first; a picture has kMostDrawnArrows
  std::vector<std::string> sets{};      // what each is called beside the others
  std::vector<std::string> notes{};     // what could not be drawn, and why
  [[nodiscard]] bool shows(const RooflineKnee& knee) const {
    return knee.x > x_low && knee.x < x_high;
  }
};

struct SceneOptions {
  MemoryLevel level = MemoryLevel::Dram;  // whose intensity is along x
  bool compare = false;                   // arrows from the first set to the second
};

// Throws Error(BadInput) when there is no ceiling to draw or no point that has a place: one without
// FLOPs, or without bytes of the level, has none on logarithmic axes.
[[nodiscard]] RooflineScene make_scene(const std::vector<PointSet>& sets, const Ceilings& ceilings,
                                       const SceneOptions& options);

// The roof alone, with every ceiling there is. Throws Error(BadInput) without a peak of compute and
// one of bandwidth.
[[nodiscard]] RooflineScene empty_scene(const Ceilings& ceilings);

}  // namespace ridgeline
