#include "report/plotly.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/html_text.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

// Beyond these the order chart starts with only the first shown; a click in the legend adds others.
constexpr std::size_t kMostShownAtOnce = 6;
constexpr int kBoxHeightPx = 34;
constexpr std::size_t kPaletteSize = 7;  // of html_assets.cpp

// Six digits are more than a screen shows, and keep the page small.
double short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(unit) && unit > 0 ? std::round(value * unit) / unit : value;
}

Json trace_of(const Panel& panel, const Series& series) {
  Json trace{{"name", chart_escape(series.name)}};
  Json x = Json::array();
  Json y = Json::array();
  Json above = Json::array();
  Json below = Json::array();
  bool intervals = false;
  for (const auto& point : series.points) {
    const auto at = static_cast<std::size_t>(point.x);
    x.push_back(panel.x.categories.empty() ? Json(point.x)
                                           : Json(chart_escape(panel.x.categories.at(at))));
    y.push_back(short_number(point.y));
    above.push_back(short_number(point.high.value_or(point.y) - point.y));
    below.push_back(short_number(point.y - point.low.value_or(point.y)));
    intervals = intervals || (point.low && point.high);
  }
  trace["x"] = std::move(x);
  trace["y"] = std::move(y);
  if (panel.mark == Mark::Bar) {
    trace["type"] = "bar";
  } else if (panel.mark == Mark::Area) {
    trace["type"] = "scatter";
    trace["mode"] = "lines";
    trace["stackgroup"] = "all";
    trace["line"] = {{"shape", "hv"}, {"width", 0}};
    // One beyond the palette would begin it anew; it is for what is beside the point, so pale.
    if (series.colour.value_or(0) >= kPaletteSize) trace["line"]["color"] = "#9AA4B1";
    trace["hovertemplate"] = "%{y:.4g}";
  } else {
    trace["type"] = "scatter";
    trace["mode"] = "lines+markers";
  }
  if (intervals) {
    trace["error_y"] = {{"type", "data"},      {"symmetric", false}, {"array", above},
                        {"arrayminus", below}, {"thickness", 1.2},   {"width", 4}};
  }
  return trace;
}

Json axis_of(const Axis& axis, const Panel& panel, bool horizontal) {
  Json json{{"title", {{"text", chart_escape(axis.label)}}}};
  if (axis.logarithmic) json["type"] = "log";
  // Name 1, 2 and 5 of every decade; of more than a few decades only the powers.
  if (const auto range = y_range(panel); axis.logarithmic && !horizontal && range) {
    json["dtick"] = range->high / range->low > 1e4 ? Json(1) : Json("D2");
  }
  if (!axis.categories.empty()) {
    json["type"] = "category";
    Json names = Json::array();
    for (const auto& name : axis.categories) names.push_back(chart_escape(name));
    json["categoryorder"] = "array";
    json["categoryarray"] = names;
  }
  if (!horizontal && !axis.logarithmic) json["rangemode"] = "tozero";
  if (horizontal && axis.categories.empty() && axis.logarithmic) {
    Json ticks = Json::array();
    for (const auto& series : panel.series) {
      for (const auto& point : series.points) {
        if (std::ranges::find(ticks, Json(point.x)) == ticks.end()) ticks.push_back(point.x);
      }
    }
    json["tickvals"] = ticks;
    Json names = Json::array();
    for (const Json& tick : ticks) names.push_back(fmt::format("{:.9g}", tick.get<double>()));
    json["ticktext"] = names;
  }
  return json;
}

void add_callout(Chart& chart, const Callout& callout) {
  chart.layout["annotations"].push_back({{"x", callout.x},
                                         {"y", callout.y},
                                         {"text", chart_escape(callout.text)},
                                         {"showarrow", true},
                                         {"arrowhead", 6},
                                         {"ax", 0},
                                         {"ay", -28}});
}

struct RowSamples {
  std::string title;
  double median_s;
  std::vector<double> seconds;
};

std::vector<RowSamples> samples_of(const Rows& rows) {
  const auto titles = row_titles(rows);
  std::vector<RowSamples> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json* samples = find(rows[i], {"phases", "total", "samples_s"});
    const auto median = number_at(rows[i], {"phases", "total", "median_s"});
    if (samples == nullptr || !samples->is_array() || !median || !(*median > 0)) continue;
    RowSamples row{.title = chart_escape(titles[i]), .median_s = *median, .seconds = {}};
    for (const Json& sample : *samples) {
      if (sample.is_number()) row.seconds.push_back(sample.get<double>());
    }
    if (!row.seconds.empty()) all.push_back(std::move(row));
  }
  return all;
}

double deviation_percent(const RowSamples& row, double seconds) {
  return short_number((seconds / row.median_s - 1) * 100);
}

Chart scatter_chart(const std::vector<RowSamples>& all) {
  Chart chart{.title = "How the samples scatter"};
  for (const auto& row : all) {
    Json x = Json::array();
    Json milliseconds = Json::array();
    for (const double seconds : row.seconds) {
      x.push_back(deviation_percent(row, seconds));
      milliseconds.push_back(short_number(seconds * 1e3));
    }
    // A number as y and names on the axis: rows of equal title stay apart.
    const auto line = static_cast<int>(chart.data.size());
    chart.data.push_back({{"type", "box"},
                          {"orientation", "h"},
                          {"name", row.title},
                          {"x", x},
                          {"y", Json(row.seconds.size(), Json(line))},
                          {"customdata", milliseconds},
                          {"boxpoints", "all"},
                          {"jitter", 0.5},
                          {"pointpos", 0},
                          {"showlegend", false},
                          {"marker", {{"size", 4}, {"opacity", 0.65}}},
                          {"line", {{"width", 1.2}}},
                          {"hovertemplate", "%{customdata:.4g} ms (%{x:+.2f} %)<extra></extra>"}});
  }
  Json places = Json::array();
  Json names = Json::array();
  for (const auto& row : all) {
    places.push_back(places.size());
    names.push_back(row.title);
  }
  chart.layout = {
      {"xaxis", {{"title", {{"text", "Difference from the row's median (%)"}}}}},
      {"yaxis", {{"autorange", "reversed"}, {"tickvals", places}, {"ticktext", names}}}};
  chart.height_px =
      110 + kBoxHeightPx * static_cast<int>(std::clamp<std::size_t>(all.size(), 3, 60));
  return chart;
}

Chart order_chart(const std::vector<RowSamples>& all) {
  Chart chart{.title = "In the order they were taken"};
  for (const auto& row : all) {
    Json y = Json::array();
    Json milliseconds = Json::array();
    for (const double seconds : row.seconds) {
      y.push_back(deviation_percent(row, seconds));
      milliseconds.push_back(short_number(seconds * 1e3));
    }
    const bool shown = all.size() <= kMostShownAtOnce || chart.data.empty();
    chart.data.push_back({{"type", "scatter"},
                          {"mode", "lines+markers"},
                          {"name", row.title},
                          {"x0", 1},
                          {"dx", 1},
                          {"y", y},
                          {"customdata", milliseconds},
                          {"marker", {{"size", 5}}},
                          {"line", {{"width", 1.2}}},
                          {"visible", shown ? Json(true) : Json("legendonly")},
                          {"hovertemplate", "%{customdata:.4g} ms (%{y:+.2f} %)"}});
  }
  chart.layout = {{"xaxis", {{"title", {{"text", "Sample"}}}}},
                  {"yaxis", {{"title", {{"text", "Difference (%)"}}}}},
                  {"showlegend", true}};
  return chart;
}

}  // namespace

std::vector<Chart> plotly_charts(const Figure& figure) {
  std::vector<Chart> charts;
  for (const auto& panel : figure.panels) {
    Chart chart{.title = panel.title};
    for (const auto& series : panel.series) chart.data.push_back(trace_of(panel, series));
    chart.layout = {{"xaxis", axis_of(panel.x, panel, true)},
                    {"yaxis", axis_of(panel.y, panel, false)},
                    {"showlegend", panel.series.size() > 1}};
    for (const Callout& callout : panel.callouts) add_callout(chart, callout);
    if (panel.mark == Mark::Area) chart.layout["hovermode"] = "x unified";
    charts.push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> sample_charts(const Rows& rows) {
  const auto all = samples_of(rows);
  if (all.empty()) return {};
  return {scatter_chart(all), order_chart(all)};
}

}  // namespace ridgeline
