#include "report/trace_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/display.h"
#include "report/html_text.h"
#include "trace/analysis_facts.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

// Nothing happened then: less of a colour than what did, on a dark page too.
constexpr const char* kIdleColour = "#b4bac4";
constexpr std::size_t kWidestPart = 60;

Section section_of(const TitledTable& table, const std::string& prefix) {
  std::string body = html_table(table.table);
  if (!table.note.empty()) body += "<p class=\"note\">" + html_escape(table.note) + "</p>\n";
  return {.id = prefix + table.id, .title = table.title, .body = std::move(body), .charts = {}};
}

// Stacked bars that add up to the span: communication and copies only where nothing hid them.
Chart breakdown_chart(const TraceAnalysis& trace) {
  Json parts = Json::array();
  std::array<Json, 4> values{Json::array(), Json::array(), Json::array(), Json::array()};
  for (const Breakdown& row : trace.breakdowns) {
    parts.push_back(
        chart_escape(fmt::format("{} (device {})", shortened(row.part, kWidestPart), row.device)));
    const std::array<std::int64_t, 4> times{row.compute_ns,
                                            row.communication_ns - row.communication_hidden_ns,
                                            row.copy_ns - row.copy_hidden_ns, row.idle_ns};
    for (std::size_t i = 0; i < times.size(); ++i)
      values[i].push_back(static_cast<double>(times[i]) / 1e6);
  }
  constexpr std::array kNames{"compute", "communication alone", "copy alone", "idle"};
  Json data = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    data.push_back({{"type", "bar"},
                    {"orientation", "h"},
                    {"name", kNames[i]},
                    {"y", parts},
                    {"x", values[i]}});
  }
  data.back()["marker"] = {{"color", kIdleColour}};
  const int height = 160 + 28 * static_cast<int>(std::min<std::size_t>(parts.size(), 100));
  return {.title = "Time between first and last device work (ms)",
          .data = std::move(data),
          .layout = {{"barmode", "stack"},
                     {"legend", {{"traceorder", "normal"}}},
                     {"yaxis", {{"autorange", "reversed"}, {"automargin", true}}},
                     {"xaxis", {{"title", {{"text", "ms"}}}}}},
          .height_px = height};
}

void add_trace(Page& page, const TraceAnalysis& trace, const TraceTableOptions& options,
               const std::string& prefix) {
  Section facts{.id = prefix + "facts", .title = trace.source, .body = {}, .charts = {}};
  for (const std::string& line : trace_facts(trace))
    facts.body += "<p>" + html_escape(line) + "</p>\n";
  page.sections.push_back(std::move(facts));
  if (const std::string text = findings_text(facts_of(trace)); !text.empty())
    page.sections.push_back(
        {.id = prefix + "findings", .title = "Findings", .body = html_prose(text), .charts = {}});
  for (const TitledTable& table : trace_tables(trace, options)) {
    page.sections.push_back(section_of(table, prefix));
    if (table.id == "breakdown") page.sections.back().charts.push_back(breakdown_chart(trace));
  }
}

}  // namespace

Page trace_page(const std::vector<TraceAnalysis>& traces,
                const std::optional<TraceComparison>& change, const TraceTableOptions& options) {
  Page page{.title = "Ridgeline analyze", .subtitle = {}, .sections = {}};
  for (const TraceAnalysis& trace : traces)
    page.subtitle += (page.subtitle.empty() ? "" : " · ") + trace.source;
  if (traces.size() > 1) page.sections.push_back(section_of(side_by_side(traces), ""));
  if (change) {
    for (const TitledTable& table : comparison_tables(*change, options))
      page.sections.push_back(section_of(table, ""));
    if (const std::string text = changed_findings_text(*change); !text.empty())
      page.sections.push_back({.id = "changed-findings",
                               .title = "Findings that changed",
                               .body = html_prose(text),
                               .charts = {}});
  }
  for (std::size_t i = 0; i < traces.size(); ++i)
    add_trace(page, traces[i], options, fmt::format("trace-{}-", i + 1));
  return page;
}

}  // namespace ridgeline
