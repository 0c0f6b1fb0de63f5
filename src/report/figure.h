#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ridgeline {

// What a plot shows, apart from how it is drawn: gnuplot (plot.h) and the HTML page (plotly.h) draw
// the same figures.
struct Point {
  double x{};
  double y{};
  std::optional<double> low;  // the interval of y, both ends or neither
  std::optional<double> high;
};

struct Series {
  std::string name;
  std::vector<Point> points;
  // Its place in the palette where that is not its place among the series.
  std::optional<std::size_t> colour{};
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  // Names of the positions 0, 1, 2, ...; empty for an axis of numbers.
  std::vector<std::string> categories;
};

// Area: every series on top of those before it, all at the same x; a value holds until the next.
enum class Mark { Line, Bar, Area };

// A place in the panel with something to say about it.
struct Callout {
  double x{};
  double y{};
  std::string text{};
};

struct Panel {
  std::string title;
  Axis x;
  Axis y;
  Mark mark = Mark::Line;
  std::vector<Series> series;
  std::vector<Callout> callouts{};
};

struct Figure {
  std::string title;
  std::vector<Panel> panels;  // none when there was nothing to show
};

// The least and greatest of all drawn values, intervals included; areas as they are stacked.
struct ValueRange {
  double low{};
  double high{};
};
[[nodiscard]] std::optional<ValueRange> y_range(const Panel& panel);

}  // namespace ridgeline
