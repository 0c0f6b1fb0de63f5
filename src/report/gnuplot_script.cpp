#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/display.h"
#include "report/gnuplot_area.h"
#include "report/gnuplot_text.h"
#include "report/plot.h"

namespace ridgeline {

namespace {

constexpr std::array kPointTypes{7, 5, 9, 13, 11, 15, 6};

constexpr int kPanelWidth = 620;
constexpr int kAreaWidth = 1000;
constexpr int kPanelHeight = 420;
constexpr int kTitleHeight = 50;
constexpr int kPixelsPerCharacter = 8;
constexpr std::size_t kMostLabelCharacters = 34;
constexpr std::size_t kMostTickCharacters = 26;
constexpr std::size_t kMostValueLabels = 24;
constexpr std::size_t kMostTicks = 10;

struct Layout {
  int columns;
  int rows;
  int panel_width;
};

Layout layout_of(const Figure& figure) {
  const int count = std::max(1, static_cast<int>(figure.panels.size()));
  const int columns = count == 1 ? 1 : count == 2 || count == 4 ? 2 : 3;
  std::size_t bars = 0;
  for (const auto& panel : figure.panels) {
    if (panel.mark == Mark::Bar) bars = std::max(bars, panel.x.categories.size());
  }
  const bool areas = std::ranges::any_of(
      figure.panels, [](const Panel& panel) { return panel.mark == Mark::Area; });
  const int wide = std::clamp(static_cast<int>(bars) * 56, areas ? kAreaWidth : kPanelWidth, 2400);
  return {.columns = columns, .rows = (count + columns - 1) / columns, .panel_width = wide};
}

std::string preamble(const Figure& figure, PlotFormat format) {
  const Layout layout = layout_of(figure);
  const int width = layout.columns * layout.panel_width;
  const int height = layout.rows * kPanelHeight + kTitleHeight;
  std::string script = "set encoding utf8\n";
  // Twice the pixels for PNG, so that text stays sharp on dense screens and in print.
  script += format == PlotFormat::Png
                ? fmt::format(
                      "set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,11' "
                      "fontscale 2 linewidth 2 pointscale 2 background '#ffffff'\n",
                      2 * width, 2 * height)
                : fmt::format(
                      "set terminal svg noenhanced size {},{} font 'DejaVu Sans,11' "
                      "background '#ffffff'\n",
                      width, height);
  script +=
      fmt::format("set multiplot layout {},{} title {} font 'DejaVu Sans Bold,14' offset 0,-0.3\n",
                  layout.rows, layout.columns, gnuplot_quoted(shortened(figure.title, 90)));
  const bool named = std::ranges::any_of(figure.panels, [](const Panel& panel) {
    return panel.series.size() > 1 || panel.mark != Mark::Bar;
  });
  script +=
      "set border 3 linecolor rgb '#8a9099' linewidth 1\n"
      "set tics nomirror scale 0.5 textcolor rgb '#3c4149'\n"
      "set mxtics default\n"
      "set grid ytics linetype 1 linecolor rgb '#e4e7eb' linewidth 1\n"
      "set key bmargin center horizontal Left reverse samplen 1.4 width 1.5 height 1 "
      "textcolor rgb '#3c4149'\n"
      "set rmargin 2.5\n"
      "set style fill solid 0.92 noborder\n";
  // On or off for all panels, so that they stay of one size.
  return script + (named ? "" : "set key off\n");
}

// Ticks at the measured values themselves, where they are few; gnuplot's own otherwise.
std::string number_ticks(const Panel& panel) {
  std::set<double> values;
  for (const auto& series : panel.series) {
    for (const auto& point : series.points) values.insert(point.x);
  }
  if (values.size() > kMostTicks) return "set xtics autofreq norotate\n";
  std::string ticks;
  for (const double value : values) {
    ticks += fmt::format("{}'{:.9g}' {:.9g}", ticks.empty() ? "" : ", ", value, value);
  }
  return "set xtics norotate (" + ticks + ")\n";
}

std::string category_ticks(const Panel& panel, int panel_width) {
  std::string ticks;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < panel.x.categories.size(); ++i) {
    const std::string name = shortened(panel.x.categories[i], kMostTickCharacters);
    longest = std::max(longest, display_width(name));
    ticks += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_tick_label(name), i);
  }
  const auto room = static_cast<std::size_t>(panel_width - 100) /
                    std::max<std::size_t>(1, panel.x.categories.size()) / kPixelsPerCharacter;
  if (longest <= room) return "set lmargin -1\nset xtics norotate (" + ticks + ")\n";
  // Slanted names end at their tick, so the first reaches out to the left.
  const double reach = 0.8 * static_cast<double>(longest) - 0.5 * static_cast<double>(room);
  return fmt::format("set lmargin {:.1f}\nset xtics rotate by 40 right ({})\n",
                     std::clamp(reach, 9.0, 24.0), ticks);
}

// 1, 2, 5, 10, ...: gnuplot's own ticks name only the powers of ten.
std::string logarithmic_ticks(double low, double high) {
  const bool decades_only = high / low > 1e4;
  std::string ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double value = decade * step;
      if (value < low || value > high || (decades_only && step > 1)) continue;
      ticks += fmt::format("{}'{:.9g}' {:.9g}", ticks.empty() ? "" : ", ", value, value);
    }
  }
  return "set ytics (" + ticks + ")\n";
}

std::string value_axis(const Panel& panel) {
  const auto range = y_range(panel);
  if (!range || !(range->high > 0)) return "set yrange [*:*]\nset ytics autofreq\n";
  if (!panel.y.logarithmic) {
    return fmt::format("set yrange [0:{:.9g}]\nset ytics autofreq\n", range->high * 1.12);
  }
  const double low = range->low / 1.3;
  const double high = range->high * 1.3;
  return fmt::format("set yrange [{:.9g}:{:.9g}]\n", low, high) + logarithmic_ticks(low, high);
}

std::string axes(const Panel& panel, int panel_width) {
  std::string script = fmt::format("set title {} font 'DejaVu Sans Bold,12' offset 0,-0.2\n",
                                   gnuplot_quoted(shortened(panel.title, 70)));
  script += "set xlabel " + gnuplot_quoted(panel.x.label) + " offset 0,0.2\n";
  script += "set ylabel " + gnuplot_quoted(panel.y.label) + "\n";
  script += "unset logscale\n";
  if (panel.x.logarithmic) script += "set logscale x 2\n";
  if (panel.y.logarithmic) script += "set logscale y 10\n";
  if (panel.mark == Mark::Bar) {
    script += category_ticks(panel, panel_width);
    script += fmt::format("set xrange [-0.6:{:.1f}]\n",
                          static_cast<double>(panel.x.categories.size()) - 0.4);
  } else if (panel.mark == Mark::Area) {
    script += "set xtics autofreq norotate\nset xrange [*:*] noextend\n";
  } else {
    script += number_ticks(panel) + "set xrange [*:*]\nset offsets graph 0.04, graph 0.04, 0, 0\n";
  }
  return script + value_axis(panel);
}

std::string value_label(double value) {
  return std::abs(value) >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

// Points: x, y, the top of what is drawn, label. Intervals: x, low end, length.
std::string data_blocks(const Panel& panel, std::size_t panel_index) {
  std::string script;
  const auto count = static_cast<double>(panel.series.size());
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const double shift =
        panel.mark == Mark::Bar ? (static_cast<double>(s) - (count - 1) / 2) * 0.8 / count : 0;
    std::string all;
    std::string intervals;
    for (const auto& point : panel.series[s].points) {
      const double top = point.high.value_or(point.y);
      all += fmt::format("{:.9g} {:.9g} {:.9g} \"{}\"\n", point.x + shift, point.y, top,
                         value_label(point.y));
      if (!point.low || !point.high) continue;
      intervals += fmt::format("{:.9g} {:.9g} {:.9g}\n", point.x + shift, *point.low,
                               *point.high - *point.low);
    }
    script += fmt::format("$points_{}_{} << END\n{}END\n", panel_index, s, all);
    if (intervals.empty()) continue;
    script += fmt::format("$intervals_{}_{} << END\n{}END\n", panel_index, s, intervals);
  }
  return script;
}

bool has_intervals(const Series& series) {
  return std::ranges::any_of(series.points, [](const Point& p) { return p.low && p.high; });
}

std::size_t point_count(const Panel& panel) {
  std::size_t count = 0;
  for (const auto& series : panel.series) count += series.points.size();
  return count;
}

std::string plot_command(const Panel& panel, std::size_t panel_index) {
  std::string parts;
  const auto add = [&](const std::string& part) {
    parts += (parts.empty() ? "plot " : ", \\\n  ") + part;
  };
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const auto& series = panel.series[s];
    const auto colour = kPlotColours[s % kPlotColours.size()];
    const std::string block = fmt::format("{}_{}", panel_index, s);
    const std::string title = gnuplot_quoted(shortened(series.name, kMostLabelCharacters));
    add(panel.mark == Mark::Bar
            ? fmt::format("$points_{} using 1:2:({:.6g}) with boxes linecolor rgb '{}' title {}",
                          block, 0.74 / static_cast<double>(panel.series.size()), colour, title)
            : fmt::format("$points_{} using 1:2 with linespoints linecolor rgb '{}' linewidth 2 "
                          "pointtype {} pointsize 0.8 dashtype {} title {}",
                          block, colour, kPointTypes[s % kPointTypes.size()],
                          s < kPlotColours.size() ? 1 : 2, title));
    if (has_intervals(series)) {
      const std::string_view ink = panel.mark == Mark::Bar ? "#2b2f36" : colour;
      // Arrows with blunt heads: gnuplot's own error bars blank out a disc around the point.
      add(
          fmt::format("$intervals_{} using 1:2:(0):3 with vectors heads size graph 0.006,90 "
                      "linecolor rgb '{}' linewidth 1.2 notitle",
                      block, ink));
    }
    if (panel.mark == Mark::Bar && point_count(panel) <= kMostValueLabels) {
      add(fmt::format(
          "$points_{} using 1:3:4 with labels offset 0,0.6 font 'DejaVu Sans,9' textcolor "
          "rgb '#3c4149' notitle",
          block));
    }
  }
  return parts + "\n";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, PlotFormat format) {
  std::string script = preamble(figure, format);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const auto& panel = figure.panels[p];
    if (point_count(panel) == 0) continue;
    const std::string frame = axes(panel, layout_of(figure).panel_width);
    script += panel.mark == Mark::Area ? gnuplot_areas(panel, p, frame)
                                       : data_blocks(panel, p) + frame + plot_command(panel, p);
  }
  return script + "unset multiplot\n";
}

}  // namespace ridgeline
