#include "report/gnuplot_area.h"

#include <fmt/format.h>

#include "report/gnuplot_text.h"

namespace ridgeline {
namespace {

// One more than the palette has, pale: for what is beside the point.
constexpr std::string_view kPale = "#B5BBC4";

std::string_view colour_of(const Series& series, std::size_t place) {
  const std::size_t colour = series.colour.value_or(place);
  return colour < kPlotColours.size() ? kPlotColours[colour] : kPale;
}

// Columns x, bottom, top. A value holds until the next, so every change is two lines.
std::string data_of(const Panel& panel, std::size_t panel_index) {
  std::string script;
  std::vector<double> bottom(panel.series.front().points.size());
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const auto& points = panel.series[s].points;
    std::string before;
    script += fmt::format("$points_{}_{} << END\n", panel_index, s);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double top = bottom[i] + points[i].y;
      if (i > 0) script += fmt::format("{:.9g} {}\n", points[i].x, before);
      before = fmt::format("{:.9g} {:.9g}", bottom[i], top);
      script += fmt::format("{:.9g} {}\n", points[i].x, before);
      bottom[i] = top;
    }
    script += "END\n";
  }
  return script;
}

// Text on the side of the mark where there is room for it.
std::string callouts_of(const Panel& panel) {
  std::string script = "unset label\n";
  const auto& points = panel.series.front().points;
  const double middle = (points.front().x + points.back().x) / 2;
  for (const Callout& callout : panel.callouts) {
    const bool on_left = callout.x > middle;
    script += fmt::format(
        "set label {} at {:.9g},{:.9g} {} point pointtype 7 pointsize 0.9 front offset {},0.7 "
        "font 'DejaVu Sans,10' textcolor rgb '#1b1f24'\n",
        gnuplot_quoted(callout.text), callout.x, callout.y, on_left ? "right" : "left",
        on_left ? "-0.6" : "0.6");
  }
  return script;
}

}  // namespace

std::string gnuplot_areas(const Panel& panel, std::size_t panel_index, std::string_view frame) {
  std::string script = data_of(panel, panel_index);
  script += frame;
  script += callouts_of(panel);
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    script +=
        fmt::format("{}$points_{}_{} using 1:2:3 with filledcurves fillcolor rgb '{}' title {}",
                    s == 0 ? "plot " : ", \\\n  ", panel_index, s, colour_of(panel.series[s], s),
                    gnuplot_quoted(panel.series[s].name));
  }
  return script + "\nunset label\n";
}

}  // namespace ridgeline
