#include "report/plot.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/process.h"
#include "core/text.h"
#include "report/gnuplot_text.h"
#include "report/png_density.h"

namespace ridgeline {

namespace {

namespace fs = std::filesystem;

// A figure takes well under a second; what takes longer has hung.
constexpr Seconds kPatience{60};

// gnuplot repeats the command, points at the place, then says what is wrong.
std::string reason_given(const std::string& message) {
  const std::string_view said = last_line(message);
  return said.empty() ? "it gave no reason" : std::string(said);
}

// gnuplot ends with 0 even after some failures, so the picture itself is looked at.
bool is_whole(const std::string& picture, PlotFormat format) {
  return format == PlotFormat::Png
             ? picture.starts_with("\x89PNG") && picture.find("IEND") != std::string::npos
             : picture.find("</svg>") != std::string::npos;
}

}  // namespace

PlotFormat plot_format(const fs::path& file) {
  if (file.extension() == ".png") return PlotFormat::Png;
  if (file.extension() == ".svg") return PlotFormat::Svg;
  throw bad_input(fmt::format("{}: a plot is a .png or .svg file", file.string()));
}

DrawOutcome draw_script(const std::string& script, const fs::path& file,
                        const DrawOptions& options) {
  const PlotFormat format = plot_format(file);
  const auto program = find_program(options.gnuplot);
  if (!program) return NotDrawn{options.gnuplot + " is not installed"};
  const ChildResult child =
      run_child({program->string(), "--default-settings", "-"},
                {.input = format == PlotFormat::Png ? within_font(script) : script,
                 .timeout = kPatience,
                 .outlives_interrupt = true});
  if (child.timed_out) return NotDrawn{options.gnuplot + " did not finish"};
  if (!child.succeeded() || !is_whole(child.out, format)) {
    return NotDrawn{options.gnuplot + " failed: " + reason_given(child.err)};
  }
  const bool has_density = format == PlotFormat::Png && options.dots_per_inch > 0;
  write_file_atomically(
      file, has_density ? with_png_density(child.out, options.dots_per_inch) : child.out);
  return Drawn{file};
}

DrawOutcome draw(const Figure& figure, const fs::path& file, const DrawOptions& options) {
  const PlotFormat format = plot_format(file);
  if (figure.panels.empty()) return NotDrawn{"no row has numbers to plot"};
  return draw_script(gnuplot_script(figure, format), file, options);
}

}  // namespace ridgeline
