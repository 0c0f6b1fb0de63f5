#include "report/roofline_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "report/gnuplot_text.h"
#include "report/roofline_layout.h"
#include "report/roofline_legend.h"

namespace ridgeline {
namespace {

constexpr int kDotsPerInch = 150;
// gnuplot's circle of size 1 has a radius of about this many points.
constexpr double kPointRadius = 3.0;
constexpr double kTitleFromLeft = 9;

// A place on the page.
std::string at(double x, double y) {
  return fmt::format("screen {:.5f},{:.5f}", x / kRooflineWidth, y / kRooflineHeight);
}

std::string terminal(PlotFormat format) {
  constexpr double kPngScale = kDotsPerInch / 72.0;
  constexpr double kSvgScale = 96.0 / 72;
  const double scale = format == PlotFormat::Png ? kPngScale : kSvgScale;
  // A point of pngcairo's fonts is 1/72 inch at 96 dots, one of svg's is a dot.
  return fmt::format(
      "set terminal {} noenhanced size {:.0f},{:.0f} font 'DejaVu Sans,{}' fontscale {:.4f} "
      "linewidth {:.4f} {}background '#ffffff'\n",
      format == PlotFormat::Png ? "pngcairo" : "svg", kRooflineWidth * scale,
      kRooflineHeight * scale, kRooflineFont, format == PlotFormat::Png ? scale * 0.75 : scale,
      scale, format == PlotFormat::Png ? fmt::format("pointscale {:.4f} ", scale) : "");
}

// Powers of ten with names, the steps between them without.
std::string decades(std::string_view axis, double low, double high) {
  std::string ticks;
  // An end that is not finite would have no last power.
  RIDGELINE_CHECK(low > 0 && std::isfinite(std::log10(low)) && std::isfinite(std::log10(high)));
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power) {
    const double value = std::pow(10, power);
    const std::string text =
        power >= -4 && power <= 6 ? fmt::format("{:.9g}", value) : fmt::format("1e{}", power);
    for (int step = 1; step < 10; ++step) {
      if (value * step < low || value * step > high) continue;
      ticks += fmt::format("{}'{}' {:.9g}{}", ticks.empty() ? "" : ", ", step == 1 ? text : "",
                           value * step, step == 1 ? "" : " 1");
    }
  }
  return fmt::format("set {}tics ({}) nomirror scale 0.5,0.25 textcolor rgb '#3c4149'\n", axis,
                     ticks);
}

std::string frame(const RooflineScene& scene) {
  const PageBox area = roofline_area(scene);
  std::string script = fmt::format(
      "set encoding utf8\nset lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n",
      area.left / kRooflineWidth, area.right / kRooflineWidth, area.bottom / kRooflineHeight,
      area.top / kRooflineHeight);
  script += fmt::format(
      "set logscale xy 10\nset xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n"
      "set border 3 linecolor rgb '#8a9099' linewidth 0.8\n"
      "set grid xtics ytics linetype 1 linecolor rgb '#e8ebee' linewidth 0.6\n"
      "set xlabel {} offset 0,0.3\n",
      scene.x_low, scene.x_high, scene.y_low, scene.y_high, gnuplot_quoted(scene.x_label));
  // gnuplot's own title stands on the numbers where they are long.
  script += fmt::format("set label 'GFLOP/s' at {} center rotate by 90 front\n",
                        at(kTitleFromLeft, (area.bottom + area.top) / 2));
  script += decades("x", scene.x_low, scene.x_high) + decades("y", scene.y_low, scene.y_high);
  return script + "unset key\n";
}

std::string line_command(double x0, double y0, double x1, double y1, std::string_view style) {
  return fmt::format("set arrow from first {:.9g},{:.9g} to first {:.9g},{:.9g} {}\n", x0, y0, x1,
                     y1, style);
}

std::string lines(const RooflineScene& scene) {
  std::string script;
  for (const RoofLine& roof : scene.roofs)
    script += line_command(roof.x0, roof.y0, roof.x1, roof.y1,
                           "nohead back linecolor rgb '#2b2f36' linewidth 1.4");
  for (const RooflineKnee& knee : scene.knees) {
    if (!scene.shows(knee)) continue;
    script += line_command(knee.x, knee.y, knee.x, scene.y_low,
                           "nohead back dashtype 3 linecolor rgb '#8a9099' linewidth 0.8");
  }
  for (std::size_t i = 0; i < std::min(kMostDrawnArrows, scene.arrows.size()); ++i) {
    const RooflineDot& from = scene.dots[scene.arrows[i].from];
    const RooflineDot& to = scene.dots[scene.arrows[i].to];
    script += line_command(from.x, from.y, to.x, to.y,
                           "head filled size screen 0.009,18 front linecolor rgb '#5b6470' "
                           "linewidth 0.9");
  }
  return script;
}

std::string texts(const RooflineLayout& layout) {
  std::string script;
  for (const PageText& text : layout.texts) {
    script += fmt::format(
        "set label {} at {} {} font ',{:.1f}' textcolor rgb '{}' rotate by {:.1f} front\n",
        gnuplot_quoted(text.text), at(text.x, text.y), text.align, text.font, text.colour,
        text.angle);
  }
  for (const PageLine& line : layout.leaders) {
    script += fmt::format(
        "set arrow from {} to {} nohead back linecolor rgb '#a8aeb6' "
        "linewidth 0.5\n",
        at(line.x0, line.y0), at(line.x1, line.y1));
  }
  return script;
}

// The dots of one run and one kind: gnuplot's rows.
std::string rows_of(const RooflineScene& scene, std::size_t set, OpKind kind) {
  std::string rows;
  for (const RooflineDot& dot : scene.dots) {
    if (dot.set == set && dot.kind == kind)
      rows += fmt::format("{:.9g} {:.9g} {:.4f}\n", dot.x, dot.y, radius_of(dot) / kPointRadius);
  }
  return rows;
}

std::string dots(const RooflineScene& scene) {
  std::string blocks;
  std::vector<std::string> parts;
  for (std::size_t set = 0; set < scene.sets.size(); ++set) {
    const RunMarker marker = marker_of(set, scene.sets.size());
    for (std::size_t i = 0; i < kOpKinds; ++i) {
      const auto kind = static_cast<OpKind>(i);
      const std::string rows = rows_of(scene, set, kind);
      if (rows.empty()) continue;
      const std::string block = fmt::format("$dots_{}_{}", set, i);
      blocks += fmt::format("{} << END\n{}END\n", block, rows);
      const std::string base = block + " using 1:2:3 with points pointsize variable pointtype";
      const std::string_view colour = colour_of(kind);
      if (marker.filling != 0)
        parts.push_back(fmt::format("{} {} linecolor rgb '#48{}' notitle", base, marker.filling,
                                    colour.substr(1)));
      parts.push_back(fmt::format("{} {} linewidth {} linecolor rgb '{}' notitle", base,
                                  marker.outline, marker.filling == 0 ? 1.4 : 0.7, colour));
    }
  }
  // A roof without points is drawn by lines and labels; gnuplot wants something to plot all the
  // same.
  if (parts.empty()) parts.emplace_back("NaN notitle");
  return blocks + fmt::format("plot {}", fmt::join(parts, ", \\\n  "));
}

std::string legend(const RooflineScene& scene) {
  std::string script;
  for (const LegendMark& mark : legend_of(scene).marks)
    script += fmt::format(
        "set label '' at {} point pointtype {} pointsize 1.3 linewidth 1.4 linecolor rgb '{}' "
        "front\n",
        at(mark.x, mark.y), mark.point_type, mark.colour);
  return script;
}

}  // namespace

std::string roofline_script(const RooflineScene& scene, PlotFormat format) {
  return terminal(format) + frame(scene) + lines(scene) + texts(lay_out(scene)) + legend(scene) +
         dots(scene) + "\n";
}

DrawOutcome draw_roofline(const RooflineScene& scene, const std::filesystem::path& file,
                          const DrawOptions& options) {
  DrawOptions dense = options;
  dense.dots_per_inch = kDotsPerInch;
  return draw_script(roofline_script(scene, plot_format(file)), file, dense);
}

}  // namespace ridgeline
