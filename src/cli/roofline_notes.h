#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/roofline_counters.h"
#include "profile/shape_points.h"
#include "roofline/counted_kernels.h"
#include "roofline/points_file.h"
#include "roofline/verdict.h"

namespace ridgeline {

// What stands below a table of points: where its numbers come from, and what they leave out.

struct ShapesNote {
  std::optional<std::string> obstacle{};  // why nothing was counted
  bool on_device = false;
  int steps = 0;
  bool several_levels = false;
};
[[nodiscard]] std::string text_of(const ShapesNote& note);

// `by_shapes` are the joined launches as their shapes have them.
[[nodiscard]] std::vector<std::string> counter_notes(const CountedStep& counted, CacheControl cache,
                                                     const JoinedKernels& joined,
                                                     const std::vector<RooflinePoint>& by_shapes);

// Names the largest of what has no cost model.
[[nodiscard]] std::optional<std::string> unmodelled_note(const ShapePoints& points);

// Nothing computes faster than the machine can: then what it can was measured in a busy moment.
[[nodiscard]] std::optional<std::string> low_peak_note(const std::vector<RooflinePoint>& groups,
                                                       const Ceilings& ceilings);

// The same of the whole step, whose utilisations are of the product alone.
[[nodiscard]] std::optional<std::string> beyond_peak_note(const StepFacts& step, bool is_measured);

// Which peaks were measured on a busy machine; absent where none was.
[[nodiscard]] std::optional<std::string> restless_note(const Ceilings& ceilings);

// Times of a host's ops beside the time of a step that was not recorded; absent where they agree.
[[nodiscard]] std::optional<std::string> watched_note(const std::vector<RooflinePoint>& points,
                                                      Seconds step);

// How much of a step the device worked.
[[nodiscard]] std::string busy_note(const ShapePoints& points, Seconds step);

}  // namespace ridgeline
