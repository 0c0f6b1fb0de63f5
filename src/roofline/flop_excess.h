#pragma once

#include <string>
#include <vector>

#include "roofline/point.h"

namespace ridgeline {

// What one label's launches executed, beside what their shapes ask for.
struct FlopExcess {
  std::string label{};
  Flop asked{};
  Flop executed{};
};

// Launch by launch the same work, first by shapes, then counted. Labels that executed more than
// `least` of all that was asked for beyond their own part, the largest first: padding,
// recomputation and algorithms with more arithmetic.
[[nodiscard]] std::vector<FlopExcess> flop_excess(const std::vector<RooflinePoint>& by_shapes,
                                                  const std::vector<RooflinePoint>& counted,
                                                  double least);

// The same by kind of work, whatever each asked for and executed, the most asked for first.
[[nodiscard]] std::vector<FlopExcess> flop_of_kinds(const std::vector<RooflinePoint>& by_shapes,
                                                    const std::vector<RooflinePoint>& counted);

}  // namespace ridgeline
