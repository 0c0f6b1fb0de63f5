#pragma once

#include <filesystem>
#include <string>

#include "report/plot.h"
#include "report/roofline_scene.h"

namespace ridgeline {

// The gnuplot program that draws the scene, 10 by 6.67 inches: at 150 dots an inch as PNG.
[[nodiscard]] std::string roofline_script(const RooflineScene& scene, PlotFormat format);

// Draws into `file` (.png or .svg), which appears whole or not at all; a missing gnuplot gives a
// reason.
[[nodiscard]] DrawOutcome draw_roofline(const RooflineScene& scene,
                                        const std::filesystem::path& file,
                                        const DrawOptions& options = {});

}  // namespace ridgeline
