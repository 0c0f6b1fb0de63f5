#include <string>

#include <fmt/format.h>

#include "report/bench_figure.h"
#include "report/units_text.h"

namespace ridgeline {

namespace {

Panel bar_panel(std::string title, std::string label) {
  return {.title = std::move(title),
          .x = {.label = "Warm-up steps", .logarithmic = false, .categories = {}},
          .y = {.label = std::move(label), .logarithmic = false, .categories = {}},
          .mark = Mark::Bar,
          .series = {}};
}

}  // namespace

Figure warmup_figure(const Json& study) {
  const Json* points = find(study, {"points"});
  if (points == nullptr || !points->is_array()) return {};
  double largest = 0;
  for (const Json& point : *points) {
    largest = std::max(largest, number_at(point, {"time", "mean_s"}).value_or(0));
  }
  const Scale unit = time_scale(largest);
  Panel time = bar_panel("Mean time ± standard deviation", "Time (" + unit.unit + ")");
  Panel spread = bar_panel("Spread", "CV (%)");
  Series means{.name = "mean", .points = {}};
  Series spreads{.name = "CV", .points = {}};
  double x = 0;
  for (const Json& point : *points) {
    const auto steps = number_at(point, {"warmup_steps"});
    const auto mean = number_at(point, {"time", "mean_s"});
    if (!steps || !mean) continue;
    Point bar{.x = x, .y = *mean * unit.factor, .low = {}, .high = {}};
    if (const auto deviation = number_at(point, {"time", "std_s"})) {
      bar.low = std::max(0.0, bar.y - *deviation * unit.factor);
      bar.high = bar.y + *deviation * unit.factor;
    }
    means.points.push_back(bar);
    if (const auto cv = number_at(point, {"time", "cv_percent"})) {
      spreads.points.push_back({.x = x, .y = *cv, .low = {}, .high = {}});
    }
    time.x.categories.push_back(fmt::format("{:.0f}", *steps));
    x += 1;
  }
  if (means.points.empty()) return {};
  spread.x.categories = time.x.categories;
  time.series.push_back(std::move(means));
  spread.series.push_back(std::move(spreads));
  Figure figure{.title = "Warm-up study", .panels = {}};
  if (const auto label = text_at(study, {"label"})) figure.title += ": " + *label;
  figure.panels.push_back(std::move(time));
  if (!spread.series.front().points.empty()) figure.panels.push_back(std::move(spread));
  return figure;
}

}  // namespace ridgeline
