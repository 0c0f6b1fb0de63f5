#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "roofline/counter_totals.h"
#include "roofline/points_file.h"

namespace ridgeline {

// One setting of a model under its roofs, as `roofline run` measured it.
struct RooflineRun {
  PointSet set{};                       // fine points, each of one op or kernel, shape and phase
  std::vector<RooflinePoint> groups{};  // the same by label: what is shown
  CounterTotals totals{};               // absent where nothing was counted
};

// "This took ... and could take ... at best", with both utilisations: what all outputs say.
[[nodiscard]] std::string run_sentence(const RooflineRun& run, const Ceilings& ceilings);

// Everything of a roofline into a run folder: points.json (points-LABEL.json of several settings)
// and the same by label as points.csv, summary.txt, report.md, report.html, and roofline.png and
// roofline.svg of the first level, roofline-LEVEL.* of the others. Two settings are drawn over each
// other, with arrows. A line for each thing that could not be made, and why.
[[nodiscard]] std::vector<std::string> write_roofline(const std::filesystem::path& folder,
                                                      const std::vector<RooflineRun>& runs,
                                                      const Ceilings& ceilings,
                                                      const std::vector<MemoryLevel>& levels);

// Of that report.md, report.html and the pictures alone.
[[nodiscard]] std::vector<std::string> draw_runs(const std::filesystem::path& folder,
                                                 const std::vector<RooflineRun>& runs,
                                                 const Ceilings& ceilings,
                                                 const std::vector<MemoryLevel>& levels);
[[nodiscard]] std::string roofline_markdown(const std::vector<RooflineRun>& runs,
                                            const Ceilings& ceilings);

// The runs of a folder from its points, in the order in which they were measured. Throws Error when
// there are none, or they are damaged.
[[nodiscard]] std::vector<RooflineRun> read_roofline(const std::filesystem::path& folder);

}  // namespace ridgeline
