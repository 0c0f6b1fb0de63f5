#include "report/roofline_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/html_text.h"
#include "report/roofline_layout.h"
#include "report/roofline_legend.h"
#include "report/roofline_tables.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr double kPixelsPerPoint = 96.0 / 72;

Json roof_trace(const RoofLine& roof) {
  return {{"type", "scatter"},
          {"mode", "lines"},
          {"x", {roof.x0, roof.x1}},
          {"y", {roof.y0, roof.y1}},
          {"line", {{"color", "#8a9099"}, {"width", 2}}},
          {"hoverinfo", "text"},
          {"text", chart_escape(roof.label)},
          {"showlegend", false}};
}

std::string hover_text(const RooflineScene& scene, const RooflineDot& dot) {
  std::string text = "<b>" + chart_escape(dot.label) + "</b>";
  if (scene.sets.size() > 1) text += "<br>" + chart_escape(scene.sets[dot.set]);
  text += fmt::format("<br>{:.1f} % of the time", 100 * dot.share);
  for (const std::string& fact : dot.facts) text += "<br>" + chart_escape(fact);
  return text;
}

// One trace a run and kind, so that the legend can switch them.
void add_dot_traces(Json& data, const RooflineScene& scene) {
  for (std::size_t set = 0; set < scene.sets.size(); ++set) {
    for (std::size_t i = 0; i < kOpKinds; ++i) {
      const auto kind = static_cast<OpKind>(i);
      Json x = Json::array();
      Json y = Json::array();
      Json sizes = Json::array();
      Json texts = Json::array();
      for (const RooflineDot& dot : scene.dots) {
        if (dot.set != set || dot.kind != kind) continue;
        x.push_back(dot.x);
        y.push_back(dot.y);
        sizes.push_back(std::round(2 * radius_of(dot) * kPixelsPerPoint * 10) / 10);
        texts.push_back(hover_text(scene, dot));
      }
      if (x.empty()) continue;
      const RunMarker marker = marker_of(set, scene.sets.size());
      const bool hollow = marker.filling == 0;
      const std::string run = scene.sets.size() > 1 ? scene.sets[set] + ": " : "";
      data.push_back({{"type", "scatter"},
                      {"mode", "markers"},
                      {"name", chart_escape(run + std::string(name_of(kind)))},
                      {"x", std::move(x)},
                      {"y", std::move(y)},
                      {"text", std::move(texts)},
                      {"hovertemplate", "%{text}<extra></extra>"},
                      {"marker",
                       {{"size", std::move(sizes)},
                        {"color", colour_of(kind)},
                        {"symbol", marker.plotly},
                        {"opacity", 0.85},
                        {"line", {{"width", hollow ? 2 : 1}, {"color", colour_of(kind)}}}}}});
    }
  }
}

// Places on logarithmic axes are given to Plotly as powers of ten. Names stand where a picture has
// them, which covers nothing; fonts are a little smaller, for the legend takes some of the width.
Json annotations(const RooflineScene& scene) {
  Json all = Json::array();
  for (const PageText& text : ceiling_texts(scene)) {
    const AxesPlace place = axes_place(scene, text);
    all.push_back({{"x", std::log10(place.x)},
                   {"y", std::log10(place.y)},
                   {"text", chart_escape(text.text)},
                   {"showarrow", false},
                   {"textangle", -text.angle},
                   {"xanchor", text.align},
                   {"yanchor", "middle"},
                   {"font", {{"size", text.font == kRooflineFont ? 11 : 10}}}});
  }
  for (const RooflineArrow& arrow : scene.arrows) {
    const RooflineDot& from = scene.dots[arrow.from];
    const RooflineDot& to = scene.dots[arrow.to];
    all.push_back({{"x", std::log10(to.x)},
                   {"y", std::log10(to.y)},
                   {"ax", std::log10(from.x)},
                   {"ay", std::log10(from.y)},
                   {"axref", "x"},
                   {"ayref", "y"},
                   {"text", ""},
                   {"showarrow", true},
                   {"arrowhead", 2},
                   {"arrowwidth", 1.2},
                   {"arrowcolor", "#8a9099"}});
  }
  return all;
}

Json knee_shapes(const RooflineScene& scene) {
  Json shapes = Json::array();
  for (const RooflineKnee& knee : scene.knees) {
    shapes.push_back({{"type", "line"},
                      {"x0", knee.x},
                      {"x1", knee.x},
                      {"y0", scene.y_low},
                      {"y1", knee.y},
                      {"line", {{"dash", "dot"}, {"width", 1}, {"color", "#8a9099"}}}});
  }
  return shapes;
}

Chart chart_of(const RooflineScene& scene) {
  Chart chart{.title = "Point at a dot for its numbers; its area is its share of the time",
              .height_px = 620};
  for (const RoofLine& roof : scene.roofs) chart.data.push_back(roof_trace(roof));
  add_dot_traces(chart.data, scene);
  const auto axis = [](const std::string& title, double low, double high) {
    return Json{{"type", "log"},
                {"title", {{"text", chart_escape(title)}}},
                {"range", {std::log10(low), std::log10(high)}},
                {"dtick", 1},
                {"exponentformat", "none"}};
  };
  chart.layout = {{"xaxis", axis(scene.x_label, scene.x_low, scene.x_high)},
                  {"yaxis", axis("GFLOP/s", scene.y_low, scene.y_high)},
                  {"annotations", annotations(scene)},
                  {"shapes", knee_shapes(scene)},
                  {"showlegend", true}};
  return chart;
}

std::string ceilings_html(const Ceilings& ceilings) {
  ReaderTable table;
  table.columns = {{"Ceiling"}, {"Peak", true}, {"Interval", true}};
  const auto add = [&](std::string name, double peak, std::string text,
                       const std::optional<PeakInterval>& interval) {
    table.rows.push_back({std::move(name), std::move(text),
                          interval ? fmt::format("{}{}", interval_text(peak, *interval),
                                                 interval->steady ? "" : " (busy)")
                                   : "–"});
  };
  for (const ComputePath path : all_compute_paths()) {
    if (const auto peak = ceilings.of(path))
      add(fmt::format("{} compute", name_of(path)), peak->value,
          fmt::format("{:.4g} TFLOP/s", peak->value / 1e12),
          ceilings.compute_interval[index_of(path)]);
  }
  for (const MemoryLevel level : all_memory_levels()) {
    if (const auto peak = ceilings.of(level))
      add(fmt::format("{} bandwidth", name_of(level)), peak->value,
          fmt::format("{:.4g} GB/s", peak->value / 1e9),
          ceilings.bandwidth_interval[index_of(level)]);
  }
  return fmt::format("<p>{}: {}</p>\n", html_escape(ceilings.machine),
                     html_escape(ceilings.source)) +
         html_table(table);
}

std::string notes_html(const std::vector<std::string>& notes) {
  std::string html;
  for (const std::string& note : notes) html += "<p class=\"note\">" + html_escape(note) + "</p>\n";
  return html;
}

std::vector<std::string> notes_of(const std::vector<RooflineScene>& scenes) {
  std::vector<std::string> notes;
  for (const RooflineScene& scene : scenes) {
    for (const std::string& note : scene.notes)
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
  return notes;
}

}  // namespace

Page roofline_page(const std::vector<RooflineScene>& scenes, const std::vector<PointSet>& sets,
                   const Ceilings& ceilings, const std::vector<std::string>& sentences) {
  const RooflineScene& first = scenes.at(0);
  Page page{.title = first.title, .subtitle = first.subtitle, .sections = {}};
  Section picture{.id = "roofline", .title = "Roofline", .body = {}, .charts = {chart_of(first)}};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string sentence =
        i < sentences.size() ? sentences[i]
                             : step_sentence(judge_step(sets[i].points, ceilings), ceilings);
    picture.body +=
        fmt::format("<p>{}{}</p>\n", sets.size() > 1 ? html_escape(sets[i].label) + ": " : "",
                    html_escape(sentence));
  }
  picture.body += notes_html(notes_of(scenes));
  page.sections.push_back(std::move(picture));
  for (std::size_t i = 1; i < scenes.size(); ++i)
    page.sections.push_back({.id = fmt::format("roofline-{}", i + 1),
                             .title = scenes[i].x_label,
                             .body = {},
                             .charts = {chart_of(scenes[i])}});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto table = roofline_table(
        sets[i].points, ceilings,
        {.top = kMostRows, .name_width = 80, .level = first.level, .evidence = true});
    page.sections.push_back({.id = fmt::format("points-{}", i + 1),
                             .title = sets.size() > 1 ? "Points of " + sets[i].label : "Points",
                             .body = html_table(table) + notes_html(sets[i].notes),
                             .charts = {}});
  }
  page.sections.push_back(
      {.id = "ceilings", .title = "Ceilings", .body = ceilings_html(ceilings), .charts = {}});
  return page;
}

}  // namespace ridgeline
