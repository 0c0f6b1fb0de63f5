#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "report/figure.h"

namespace ridgeline {

enum class PlotFormat { Png, Svg };

// The gnuplot program that draws the figure to its standard output: complete, data inside. Text in
// it comes from outside, so it is quoted such that gnuplot takes it for nothing but text.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, PlotFormat format);

struct Drawn {
  std::filesystem::path file;
};
struct NotDrawn {
  std::string reason;  // "gnuplot is not installed"
};
using DrawOutcome = std::variant<Drawn, NotDrawn>;

struct DrawOptions {
  std::string gnuplot = "gnuplot";  // a name to look up in PATH, or a path
  int dots_per_inch = 0;            // written into a PNG; 0 leaves it out
};

// By the file's extension; throws Error(BadInput) for others than .png and .svg.
[[nodiscard]] PlotFormat plot_format(const std::filesystem::path& file);

// Runs a whole gnuplot program that draws to its standard output, as draw() does.
[[nodiscard]] DrawOutcome draw_script(const std::string& script, const std::filesystem::path& file,
                                      const DrawOptions& options);

// Draws into `file` (.png or .svg), which appears whole or not at all. A missing gnuplot is
// expected (servers): it gives a reason. Throws Error(Io) when the folder cannot be written.
[[nodiscard]] DrawOutcome draw(const Figure& figure, const std::filesystem::path& file,
                               const DrawOptions& options = {});

}  // namespace ridgeline
