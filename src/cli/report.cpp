#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/publish.h"
#include "core/error.h"
#include "report/roofline_files.h"
#include "report/run_document.h"

namespace ridgeline {
namespace {

struct ReportFlags {
  std::filesystem::path folder;
  bool dry_run = false;
};

std::vector<std::string> redraw_roofline(const std::filesystem::path& folder) {
  const auto runs = read_roofline(folder);
  const PointSet& first = runs.front().set;
  std::vector<MemoryLevel> levels{MemoryLevel::Dram};  // files of old do not say
  if (first.step && !first.step->levels.empty()) levels = first.step->levels;
  return draw_runs(folder, runs, first.ceilings, levels);
}

// Also mends a run that was killed: what rows.jsonl holds becomes run.json and everything after it.
int run_report(const ReportFlags& flags) {
  if (flags.dry_run) {
    fmt::print("would write tables, plots and report.html into {}\n", flags.folder.string());
    return kExitOk;
  }
  const RunDocument run = read_run(flags.folder);
  for (const std::string& note : run.notes) fmt::print("{}\n", note);
  // What a roofline shows is in its points alone.
  const auto problems =
      run.command == "roofline" ? redraw_roofline(flags.folder) : publish(run, flags.folder);
  for (const std::string& problem : problems) fmt::print("{}\n", problem);
  fmt::print("{}\n", (flags.folder / "report.html").string());
  return kExitOk;
}

}  // namespace

void add_report(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("report", "make tables, plots and the HTML page from a run folder");
  command->footer("Example:\n  ridgeline report runs/20261115-060000-bench");
  const auto flags = std::make_shared<ReportFlags>();
  command->add_option("run", flags->folder, "the run folder")->required()->type_name("DIR");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop");
  command->callback([flags, &line] { line.chosen = [flags] { return run_report(*flags); }; });
}

}  // namespace ridgeline
