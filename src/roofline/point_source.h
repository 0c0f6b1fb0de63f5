#pragma once

#include <filesystem>

#include "roofline/ncu_file.h"
#include "roofline/points_file.h"

namespace ridgeline {

// Points out of any file that has some, told by its content: a summary (one point), points as JSON,
// a CSV or a report of ncu. The label is the file's own, else its name. Throws Error(Io) or
// Error(BadInput) of one line.
[[nodiscard]] PointSet read_points(const std::filesystem::path& file,
                                   const NcuFileOptions& options = {});

// All that a file has: one of several settings as JSON has as many sets.
[[nodiscard]] std::vector<PointSet> read_point_sets(const std::filesystem::path& file,
                                                    const NcuFileOptions& options = {});

}  // namespace ridgeline
