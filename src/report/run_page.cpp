#include "report/run_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/bench_figure.h"
#include "report/bench_table.h"
#include "report/html_text.h"
#include "report/loader_table.h"
#include "report/peak_report.h"
#include "report/plotly.h"
#include "report/training_report.h"

namespace ridgeline {

namespace {

std::string badge(std::string_view tone, std::string_view text) {
  return fmt::format("<span class=\"badge {}\">{}</span>", tone, html_escape(text));
}

std::string_view outcome_tone(const Json& row) {
  const auto outcome = text_at(row, {"outcome"});
  return outcome == "measured" ? "good" : outcome == "skipped" ? "warn" : "bad";
}

std::string_view verdict_tone(const std::string& verdict) {
  if (verdict == "faster") return "good";
  return verdict == "slower" ? "bad" : "warn";
}

void append_cells(std::string& out, const ReaderTable& table, std::size_t row) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    out += fmt::format("<td{}>{}</td>", table.columns[c].right_aligned ? " class=\"number\"" : "",
                       html_escape(table.rows[row][c]));
  }
}

// The reader's table with the outcome as a badge in front, and notes on a line of their own: at the
// end of a wide table nobody would see them.
std::string rows_table(const Rows& rows) {
  ReaderTable table = are_loader_rows(rows) ? loader_reader_table(rows) : bench_reader_table(rows);
  std::vector<std::string> notes(rows.size());
  if (!table.columns.empty() && table.columns.back().title == kNoteColumn) {
    table.columns.pop_back();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      notes[r] = table.rows[r].back();
      table.rows[r].pop_back();
    }
  }
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr><th>Outcome</th>";
  for (const auto& column : table.columns) {
    out += fmt::format("<th{}>{}</th>", column.right_aligned ? " class=\"number\"" : "",
                       html_escape(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += notes[r].empty() ? "<tr>" : "<tr class=\"told\">";
    out += "<td>" + badge(outcome_tone(rows[r]), text_at(rows[r], {"outcome"}).value_or("failed")) +
           "</td>";
    append_cells(out, table, r);
    out += "</tr>\n";
    if (notes[r].empty()) continue;
    out += fmt::format("<tr class=\"note\"><td></td><td colspan=\"{}\"><div>{}</div></td></tr>\n",
                       table.columns.size(), html_escape(notes[r]));
  }
  return out + "</tbody></table></div>\n";
}

std::string study_note(const Json& study) {
  std::string out;
  if (const auto advice = text_at(study, {"advice"})) {
    out += "<p>" + html_escape(*advice) + "</p>\n";
  }
  return out;
}

void add(Page& page, std::optional<Section> section) {
  if (section) page.sections.push_back(std::move(*section));
}

}  // namespace

std::optional<Section> verdict_section(const std::vector<Json>& verdicts) {
  if (verdicts.empty()) return std::nullopt;
  Section section{.id = "verdicts", .title = "Is the difference real?", .body = {}, .charts = {}};
  section.body = "<ul class=\"plain\">\n";
  for (const Json& verdict : verdicts) {
    const auto word = text_at(verdict, {"verdict"}).value_or("inconclusive");
    section.body += fmt::format("<li>{} {}</li>\n", badge(verdict_tone(word), word),
                                html_escape(text_at(verdict, {"sentence"}).value_or("")));
  }
  section.body += "</ul>\n";
  return section;
}

std::optional<Section> rows_section(const Rows& rows) {
  if (rows.empty()) return std::nullopt;
  return Section{.id = "rows",
                 .title = "Results",
                 .body = rows_table(rows) +
                         "<p class=\"note\">Mean ± standard deviation; the interval is that of the "
                         "median.</p>\n",
                 .charts = {}};
}

std::optional<Section> charts_section(const Rows& rows) {
  auto charts = plotly_charts(bench_figure(rows));
  if (charts.empty()) return std::nullopt;
  return Section{.id = "charts",
                 .title = "Time and throughput",
                 .body = "<p class=\"note\">Medians with their intervals.</p>\n",
                 .charts = std::move(charts)};
}

std::optional<Section> samples_section(const Rows& rows) {
  auto charts = sample_charts(rows);
  if (charts.empty()) return std::nullopt;
  return Section{.id = "samples",
                 .title = "Every sample",
                 .body =
                     "<p class=\"note\">No sample is dropped. Click a name in the legend to show "
                     "or hide its row.</p>\n",
                 .charts = std::move(charts)};
}

std::optional<Section> warmup_section(const std::optional<Json>& study) {
  if (!study) return std::nullopt;
  const CsvTable csv = warmup_csv(*study);
  ReaderTable table{.columns = {{"Warm-up steps", true},
                                {"Mean (ms)", true},
                                {"Std (ms)", true},
                                {"CV (%)", true}},
                    .rows = csv.rows};
  return Section{.id = "warmup",
                 .title = "Warm-up study",
                 .body = study_note(*study) + html_table(table),
                 .charts = plotly_charts(warmup_figure(*study))};
}

Page run_page(const RunDocument& run) {
  Page page{.title = "Ridgeline " + run.command.value_or("run"), .subtitle = {}, .sections = {}};
  page.subtitle = run.started.value_or("");
  if (run.finished) page.subtitle += " – " + *run.finished;
  page.sections.push_back(summary_section(run));
  add(page, training_section(run.training));
  add(page, peaks_section(run.peaks));
  add(page, verdict_section(run.verdicts));
  add(page, rows_section(run.rows));
  add(page, charts_section(run.rows));
  add(page, samples_section(run.rows));
  add(page, warmup_section(run.warmup_study));
  add(page, environment_section(run));
  return page;
}

}  // namespace ridgeline
