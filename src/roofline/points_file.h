#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/cache_control.h"
#include "roofline/ceilings.h"
#include "roofline/point.h"

namespace ridgeline {

// What is known of the whole step that the points are parts of.
struct StepFacts {
  Seconds clock{};  // of one step that nobody watched
  std::optional<double> mfu{};
  std::optional<double> hfu{};
  std::vector<MemoryLevel> levels{};  // that were asked for, in this order
  int setting = 0;                    // of several that were measured together, from 1
};

// Points with their ceilings as one JSON document: what `roofline parse --json` writes, whoever
// counts next writes too, and `roofline plot` draws.
struct PointSet {
  std::string label{};
  std::string source{};  // where the numbers come from: "ncu: report.csv"
  Ceilings ceilings{};   // may be empty
  std::vector<RooflinePoint> points{};
  std::vector<std::string> notes{};
  // What the counted kernels found in the caches; absent where none was counted here: by shapes,
  // or in a file that does not say.
  std::optional<CacheControl> cache{};
  std::optional<StepFacts> step{};  // of a run
};

// Whose bytes its tables show: those of the first level that was asked for.
[[nodiscard]] inline MemoryLevel shown_level(const PointSet& set) {
  return set.step && !set.step->levels.empty() ? set.step->levels.front() : MemoryLevel::Dram;
}

[[nodiscard]] std::string points_json(const PointSet& set);

// Checks types, signs and sizes. Throws Error(BadInput) of one line that names the key.
[[nodiscard]] PointSet parse_points_json(std::string_view text, const std::string& source);
// Of a list of such documents each, as a run of several settings prints them.
[[nodiscard]] std::vector<PointSet> parse_points_list(std::string_view text,
                                                      const std::string& source);

}  // namespace ridgeline
