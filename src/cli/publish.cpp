#include "cli/publish.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/first_failure.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/table.h"
#include "report/bench_figure.h"
#include "report/bench_table.h"
#include "report/html.h"
#include "report/loader_table.h"
#include "report/markdown.h"
#include "report/peak_report.h"
#include "report/plot.h"
#include "report/plotly_script.h"
#include "report/roofline_plot.h"
#include "report/run_page.h"
#include "report/training_report.h"
#include "report/verdict_table.h"
#include "report/writeup.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

// A table with its file name in the source workflow.
struct NamedCsv {
  std::string name;
  CsvTable table;
};

bool only_combined(const Rows& rows) {
  return !rows.empty() && std::ranges::all_of(rows, [](const Json& row) {
    return row.contains("phases_asked") &&
           row.at("phases_asked") == Json::array({"forward+backward"});
  });
}

NamedCsv csv_of(const RunDocument& run) {
  if (run.training) return {"metrics.csv", training_csv(*run.training)};
  if (run.peaks) return {"peaks.csv", peaks_csv(*run.peaks)};
  if (run.warmup_study)
    return {"profiling_benchmarking_warmup_comparison.csv", warmup_csv(*run.warmup_study)};
  if (!run.verdicts.empty()) return {"verdicts.csv", verdict_csv(run.verdicts)};
  if (are_loader_rows(run.rows)) return {"loader.csv", loader_csv(run.rows)};
  if (only_combined(run.rows)) return {"profiling_benchmarking_direct.csv", direct_csv(run.rows)};
  return {"profiling_benchmarking_separate.csv", separate_csv(run.rows)};
}

std::string markdown_table_of(const RunDocument& run) {
  if (run.training) return to_markdown(training_reader_table(*run.training));
  if (run.peaks) return to_markdown(peaks_reader_table(*run.peaks));
  if (!run.verdicts.empty()) return to_markdown(verdict_reader_table(run.verdicts));
  return to_markdown(are_loader_rows(run.rows) ? loader_reader_table(run.rows)
                                               : bench_reader_table(run.rows));
}

std::string markdown_of(const RunDocument& run) {
  if (run.rows.empty() || are_loader_rows(run.rows)) return markdown_table_of(run);
  return fmt::format("{}\n```\n{}```\n", markdown_table_of(run), writeup(run.rows));
}

void draw_figure(const Figure& figure, const fs::path& folder, const std::string& name,
                 std::vector<std::string>& problems) {
  if (figure.panels.empty()) return;
  for (const char* extension : {".png", ".svg"}) {
    const DrawOutcome outcome = draw(figure, folder / (name + extension));
    if (const auto* reason = std::get_if<NotDrawn>(&outcome))
      problems.push_back(fmt::format("{}{}: skipped, {}", name, extension, reason->reason));
  }
}

void draw_roof(const Json& peaks, const fs::path& folder, std::vector<std::string>& problems) {
  const auto scene = peaks_scene(peaks);
  for (const char* name : {"roofline.png", "roofline.svg"}) {
    if (!scene) {
      problems.push_back(fmt::format("{}: skipped, no roof without compute and bandwidth", name));
      continue;
    }
    const DrawOutcome outcome = draw_roofline(*scene, folder / name);
    if (const auto* reason = std::get_if<NotDrawn>(&outcome))
      problems.push_back(fmt::format("{}: skipped, {}", name, reason->reason));
  }
}

}  // namespace

std::vector<std::string> publish(const RunDocument& run, const fs::path& folder) {
  std::vector<std::string> problems;
  FirstFailure failure({});
  const auto put = [&](const std::string& name, const auto& content) {
    failure.attempt([&] { write_file_atomically(folder / name, content()); });
  };
  put("run.json", [&] { return json_text(run_json(run)); });
  if (!run.rows.empty() || !run.verdicts.empty() || run.peaks || run.training) {
    const NamedCsv csv = csv_of(run);
    put(csv.name, [&] { return to_csv(csv.table); });
    put("summary.md", [&] { return markdown_of(run); });
  }
  failure.attempt([&] {
    if (run.training)
      draw_figure(training_figure(*run.training), folder, "training_curves", problems);
    if (run.peaks) draw_roof(*run.peaks, folder, problems);
    draw_figure(bench_figure(run.rows), folder, "time_and_throughput", problems);
    if (run.warmup_study) draw_figure(warmup_figure(*run.warmup_study), folder, "warmup", problems);
  });
  put("report.html", [&] { return html_page(run_page(run), {.plotly_js = plotly_script()}); });
  failure.tell();
  return problems;
}

void hand_out(const RunDocument& run, const fs::path& folder, const CommonFlags& flags) {
  if (flags.csv == "-") fmt::print("{}", to_csv(csv_of(run).table));
  if (flags.csv && *flags.csv != "-") {
    const NamedCsv csv = csv_of(run);
    write_file_atomically(
        flags.csv->empty() ? fs::path(kDefaultCsvFolder) / csv.name : fs::path(*flags.csv),
        to_csv(csv.table));
  }
  if (flags.markdown && *flags.markdown != "-")
    write_file_atomically(*flags.markdown, markdown_of(run));
  if (flags.json) fmt::print("{}", json_text(run_json(run)));
  if (flags.markdown && *flags.markdown == "-") fmt::print("{}", markdown_table_of(run));
  if (talks(flags)) fmt::print("\nRun folder: {}\n", folder.string());
}

}  // namespace ridgeline
