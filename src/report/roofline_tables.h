#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/csv.h"
#include "report/reader_table.h"
#include "roofline/points_file.h"

namespace ridgeline {

struct RooflineTableOptions {
  std::size_t top = 20;
  std::size_t name_width = 48;
  MemoryLevel level = MemoryLevel::Dram;  // whose bytes and intensity are shown
  bool evidence = false;  // a column that says why no ceiling was reached, and what is odd
};

// Points for people, as many as asked for, the longest where there are more: time, FLOPs,
// intensity, rate, and against ceilings the bound, how near it is and what there is to win. Without
// ceilings those columns are not there. What is by shapes is marked: in the heading where all of it
// is, else with "≥" in its row.
[[nodiscard]] ReaderTable roofline_table(const std::vector<RooflinePoint>& points,
                                         const Ceilings& ceilings,
                                         const RooflineTableOptions& options);

// Points for programs, in base units; `run` is what they are of: its label, and what is known of
// its step, stand in every row.
[[nodiscard]] CsvTable roofline_csv(const std::vector<RooflinePoint>& points,
                                    const Ceilings& ceilings, const PointSet& run);

// What one wants to know of a point when pointing at it, a line each.
[[nodiscard]] std::vector<std::string> point_facts(const RooflinePoint& point,
                                                   const Ceilings& ceilings);

}  // namespace ridgeline
