#include "report/bench_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/units_text.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

// More lines than this cannot be told apart.
constexpr std::size_t kMostSeries = 10;

struct PhaseName {
  std::string_view phase;
  std::string_view title;
};
constexpr std::array kPhases{PhaseName{"forward", "forward"}, PhaseName{"backward", "backward"},
                             PhaseName{"optimizer", "optimizer"}, PhaseName{"total", "total"}};

// What lies along x, and what tells the lines apart.
struct Arrangement {
  std::optional<SettingName> x;     // a number that varies; none: rows are categories
  std::vector<std::string> groups;  // of each row
  std::vector<std::string> group_order;
};

std::optional<SettingName> numeric_axis(const Rows& rows) {
  std::optional<SettingName> best;
  std::size_t most = 1;
  for (const auto& setting : varying_settings(rows)) {
    if (setting.key == "seed") continue;
    std::set<double> values;
    const bool numeric = std::ranges::all_of(rows, [&](const Json& row) {
      const auto value = number_at(row, {"settings", setting.key});
      if (value) values.insert(*value);
      return value.has_value();
    });
    if (!numeric || values.size() <= most) continue;
    most = values.size();
    best = setting;
  }
  return best;
}

Arrangement arrange(const Rows& rows) {
  Arrangement result{.x = numeric_axis(rows), .groups = {}, .group_order = {}};
  auto others = varying_settings(rows);
  std::erase_if(others, [&](const auto& s) { return result.x && s.key == result.x->key; });
  result.groups = row_titles(rows, others);
  for (const auto& group : result.groups) {
    if (std::ranges::find(result.group_order, group) == result.group_order.end()) {
      result.group_order.push_back(group);
    }
  }
  return result;
}

std::optional<Point> time_point(const Json& row, std::string_view phase, double x) {
  const auto median = number_at(row, {"phases", phase, "median_s"});
  if (!median || !is_measured(row)) return std::nullopt;
  Point point{.x = x, .y = *median, .low = {}, .high = {}};
  const auto low = number_at(row, {"phases", phase, "median_low_s"});
  const auto high = number_at(row, {"phases", phase, "median_high_s"});
  if (low && high) {
    point.low = low;
    point.high = high;
  }
  return point;
}

void scale(Panel& panel, double factor) {
  for (auto& series : panel.series) {
    for (auto& point : series.points) {
      point.y *= factor;
      if (point.low) *point.low *= factor;
      if (point.high) *point.high *= factor;
    }
  }
}

// A tenfold range or more, all above zero: equal ratios then deserve equal lengths.
bool spans_decades(double low, double high) { return low > 0 && high / low >= 10; }

void finish_axes(Panel& panel) {
  std::set<double> xs;
  for (auto& series : panel.series) {
    std::ranges::sort(series.points, {}, &Point::x);
    for (const auto& point : series.points) xs.insert(point.x);
  }
  if (panel.mark == Mark::Bar || xs.empty()) return;
  panel.x.logarithmic = *xs.begin() > 0 && *xs.rbegin() / *xs.begin() >= 4;
  if (const auto range = y_range(panel))
    panel.y.logarithmic = spans_decades(range->low, range->high);
}

void finish_time(Panel& panel) {
  const auto range = y_range(panel);
  const Scale unit = time_scale(range ? range->high : 0);
  scale(panel, unit.factor);
  panel.y.label = fmt::format("Median time ({})", unit.unit);
  finish_axes(panel);
}

// One series a group: the value of each of its rows.
template <class ValueOf>
Panel grouped_panel(const Rows& rows, const Arrangement& arrangement, ValueOf&& value_of) {
  Panel panel{.title = {}, .x = {}, .y = {}, .mark = Mark::Line, .series = {}};
  panel.x.label = arrangement.x->title;
  for (const auto& group : arrangement.group_order) {
    if (panel.series.size() == kMostSeries) break;
    Series series{.name = group, .points = {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (arrangement.groups[i] != group) continue;
      const double x = *number_at(rows[i], {"settings", arrangement.x->key});
      if (auto point = value_of(rows[i], x)) series.points.push_back(*point);
    }
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

std::string shown_note(const Arrangement& arrangement) {
  const std::size_t all = arrangement.group_order.size();
  return all > kMostSeries ? fmt::format(" (first {} of {})", kMostSeries, all) : "";
}

// Rows of several groups over a number: a panel a phase, a line a group.
std::vector<Panel> panels_by_phase(const Rows& rows, const Arrangement& arrangement) {
  std::vector<Panel> panels;
  for (const auto& name : kPhases) {
    Panel panel = grouped_panel(rows, arrangement, [&](const Json& row, double x) {
      return time_point(row, name.phase, x);
    });
    if (panel.series.empty()) continue;
    panel.title = fmt::format("Time, {}{}", name.title, shown_note(arrangement));
    finish_time(panel);
    panels.push_back(std::move(panel));
  }
  return panels;
}

// One group over a number, or rows as categories: one panel, a series a phase.
Panel phases_panel(const Rows& rows, const Arrangement& arrangement) {
  Panel panel{.title = "Time by phase", .x = {}, .y = {}, .mark = Mark::Line, .series = {}};
  if (!arrangement.x) panel.mark = Mark::Bar;
  panel.x.label = arrangement.x ? arrangement.x->title : "";
  for (const auto& name : kPhases) {
    Series series{.name = std::string(name.title), .points = {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double x = arrangement.x ? *number_at(rows[i], {"settings", arrangement.x->key})
                                     : static_cast<double>(i);
      if (auto point = time_point(rows[i], name.phase, x)) series.points.push_back(*point);
    }
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  finish_time(panel);
  return panel;
}

std::vector<std::string> category_names(const Rows& rows) {
  auto names = row_titles(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_measured(rows[i])) continue;
    names[i] += fmt::format(" ({})", text_at(rows[i], {"outcome"}).value_or("failed"));
  }
  return names;
}

Panel throughput_panel(const Rows& rows, const Arrangement& arrangement) {
  const bool tokens = std::ranges::any_of(
      rows, [](const Json& row) { return number_at(row, {"tokens_per_s"}).has_value(); });
  const std::string_view key = tokens ? "tokens_per_s" : "samples_per_s";
  const auto value = [&](const Json& row, double x) -> std::optional<Point> {
    const auto rate = number_at(row, {key});
    if (!rate || !is_measured(row)) return std::nullopt;
    return Point{.x = x, .y = *rate, .low = {}, .high = {}};
  };
  Panel panel;
  if (arrangement.x) {
    panel = grouped_panel(rows, arrangement, value);
  } else {
    panel.mark = Mark::Bar;
    Series series{.name = tokens ? "tokens/s" : "samples/s", .points = {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (auto point = value(rows[i], static_cast<double>(i))) series.points.push_back(*point);
    }
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  const auto range = y_range(panel);
  const Scale unit = count_scale(range ? range->high : 0);
  scale(panel, unit.factor);
  panel.title = fmt::format("Throughput{}", arrangement.x ? shown_note(arrangement) : "");
  panel.y.label = fmt::format("{}{}{}/s", unit.unit, unit.unit.empty() ? "" : " ",
                              tokens ? "tokens" : "samples");
  finish_axes(panel);
  return panel;
}

std::string figure_title(const Rows& rows) {
  const auto model = text_at(rows.front(), {"model"});
  const bool one = model && std::ranges::all_of(rows, [&](const Json& row) {
                     return text_at(row, {"model"}) == model;
                   });
  std::string title = one ? fmt::format("Benchmark: {}", *model) : "Benchmark";
  if (one && one_label(rows) && row_label(rows.front()) != *model) {
    title += fmt::format(" {}", row_label(rows.front()));
  }
  const auto device = text_at(rows.front(), {"settings", "device"});
  const bool same_device = device && std::ranges::all_of(rows, [&](const Json& row) {
                             return text_at(row, {"settings", "device"}) == device;
                           });
  return same_device ? title + " on " + *device : title;
}

}  // namespace

Figure bench_figure(const Rows& rows) {
  Figure figure;
  if (std::ranges::none_of(rows, is_measured)) return figure;
  figure.title = figure_title(rows);
  const Arrangement arrangement = arrange(rows);
  if (arrangement.x && arrangement.group_order.size() > 1) {
    figure.panels = panels_by_phase(rows, arrangement);
  } else if (Panel panel = phases_panel(rows, arrangement); !panel.series.empty()) {
    figure.panels.push_back(std::move(panel));
  }
  if (Panel panel = throughput_panel(rows, arrangement); !panel.series.empty()) {
    figure.panels.push_back(std::move(panel));
  }
  if (!arrangement.x) {
    for (auto& panel : figure.panels) panel.x.categories = category_names(rows);
  }
  return figure;
}

}  // namespace ridgeline
