#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgeline {

// One line of a folded-stacks file: "outer;inner;innermost" and what it weighs.
struct FoldedStack {
  std::string frames{};
  double value = 0;
};

struct FlameGraphOptions {
  std::string_view title = "Flame graph";
  std::string_view unit = "samples";
  int width = 1200;          // pixels
  double least_width = 0.3;  // narrower boxes are left out
};

// A picture by itself, with no script: the width of a box is its share, the outermost frame lies at
// the bottom, siblings stand in alphabetical order, and resting on a box names it with its numbers.
[[nodiscard]] std::string flame_graph_svg(std::span<const FoldedStack> stacks,
                                          const FlameGraphOptions& options = {});

}  // namespace ridgeline
