#include "report/roofline_files.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/format.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/plotly_script.h"
#include "report/roofline_page.h"
#include "report/roofline_plot.h"
#include "report/roofline_tables.h"
#include "roofline/summary_file.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRows = 100000;

// "resnet18 cpu bf16, batch 16" as "resnet18-cpu-bf16-batch-16": part of a file's name.
std::string file_word(const std::string& label) {
  std::string word;
  for (const char c : label) {
    const auto letter = static_cast<unsigned char>(c);
    if (letter < 128 && (std::isalnum(letter) != 0 || (c == '.' && !word.empty()))) {
      word += c;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  while (word.ends_with('-')) word.pop_back();
  return word.empty() ? "run" : word;
}

// Of several settings each has files of its own.
fs::path own_file(const fs::path& folder, const std::vector<RooflineRun>& runs, std::size_t i,
                  const std::string& stem, const std::string& ending) {
  if (runs.size() == 1) return folder / (stem + ending);
  const std::string word = file_word(runs[i].set.label);
  const auto same = std::ranges::count_if(
      runs, [&](const RooflineRun& run) { return file_word(run.set.label) == word; });
  return folder / (same > 1 ? fmt::format("{}-{}-{}{}", stem, word, i + 1, ending)
                            : fmt::format("{}-{}{}", stem, word, ending));
}

// Of kernels alone where they were counted, as a file of ncu has it.
Bytes moved_by(const RooflineRun& run) {
  if (run.totals.dram_read && run.totals.dram_write)
    return *run.totals.dram_read + *run.totals.dram_write;
  Bytes bytes{};
  for (const RooflinePoint& point : run.set.points)
    bytes = bytes + point.of(MemoryLevel::Dram).value_or(Bytes{});
  return bytes;
}

std::optional<RooflineSummary> summary_of_run(const RooflineRun& run) {
  const RooflinePoint total = total_of(run.set.points, run.set.label);
  const Bytes bytes = moved_by(run);
  if (!(bytes.count > 0)) return std::nullopt;
  const double seconds = total.time.count();
  const double flop = total.total_flop().count;
  const auto count_of = [](std::optional<Bytes> sum) {
    return sum ? std::optional(sum->count) : std::nullopt;
  };
  return RooflineSummary{.label = run.set.label,
                         .input = run.set.source,
                         .fadd = run.totals.fadd,
                         .fmul = run.totals.fmul,
                         .ffma = run.totals.ffma,
                         .flop = flop,
                         .bytes_read = count_of(run.totals.dram_read),
                         .bytes_written = count_of(run.totals.dram_write),
                         .bytes = bytes.count,
                         .seconds = seconds,
                         .gflop_per_s = flop / seconds / 1e9,
                         .gb_per_s = bytes.count / seconds / 1e9,
                         .flop_per_byte = flop / bytes.count};
}

std::vector<PointSet> shown_sets(const std::vector<RooflineRun>& runs) {
  std::vector<PointSet> sets;
  for (const RooflineRun& run : runs) {
    sets.push_back(run.set);
    sets.back().points = run.groups;
  }
  return sets;
}

void draw(const fs::path& file, const RooflineScene& scene, std::vector<std::string>& problems) {
  const DrawOutcome outcome = draw_roofline(scene, file);
  if (const auto* const missing = std::get_if<NotDrawn>(&outcome))
    problems.push_back(
        fmt::format("{} was not drawn: {}", file.filename().string(), missing->reason));
}

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

void write_page(const fs::path& file, const std::vector<RooflineScene>& scenes,
                const std::vector<RooflineRun>& runs, const Ceilings& ceilings) {
  std::vector<std::string> sentences;
  for (const RooflineRun& run : runs) sentences.push_back(run_sentence(run, ceilings));
  write_file_atomically(file,
                        html_page(roofline_page(scenes, shown_sets(runs), ceilings, sentences),
                                  {.plotly_js = plotly_script()}));
}

std::vector<std::string> write_tables(const fs::path& folder, const std::vector<RooflineRun>& runs,
                                      const Ceilings& ceilings) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    write_file_atomically(own_file(folder, runs, i, "points", ".json"), points_json(runs[i].set));
    write_file_atomically(own_file(folder, runs, i, "points", ".csv"),
                          to_csv(roofline_csv(runs[i].groups, ceilings, runs[i].set)));
    const fs::path file = own_file(folder, runs, i, "summary", ".txt");
    if (const auto summary = summary_of_run(runs[i])) {
      write_file_atomically(file, summary_text(*summary));
    } else {
      problems.push_back(fmt::format("no {}: it is of DRAM's bytes, which are not known here",
                                     file.filename().string()));
    }
  }
  return problems;
}

bool is_points_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "points.json" || (name.starts_with("points-") && name.ends_with(".json"));
}

}  // namespace

std::string roofline_markdown(const std::vector<RooflineRun>& runs, const Ceilings& ceilings) {
  std::string text = "# Roofline\n";
  for (const RooflineRun& run : runs) {
    text += fmt::format("\n## {}\n\n{}\n\nFrom {}.\n\n{}", markdown_escape(run.set.label),
                        run_sentence(run, ceilings), markdown_escape(run.set.source),
                        to_markdown(roofline_table(
                            run.groups, ceilings,
                            {.top = kMostRows, .level = shown_level(run.set), .evidence = true})));
    if (const auto causes = cause_sentence(run.set.points, ceilings)) text += "\n" + *causes + "\n";
    if (const auto unheld = without_peak_sentence(run.set.points, ceilings))
      text += "\n" + markdown_escape(*unheld) + "\n";
    for (const std::string& note : run.set.notes)
      text += fmt::format("\n{}\n", markdown_escape(note));
  }
  return text;
}

std::string run_sentence(const RooflineRun& run, const Ceilings& ceilings) {
  std::string text = step_sentence(judge_step(run.set.points, ceilings), ceilings);
  const auto [mfu, hfu] = run.set.step ? std::pair(run.set.step->mfu, run.set.step->hfu)
                                       : std::pair<std::optional<double>, std::optional<double>>();
  if (mfu) text += fmt::format(" MFU {:.1f} %", 100 * *mfu);
  if (hfu) text += fmt::format("{} HFU {:.1f} %", mfu ? "," : "", 100 * *hfu);
  const bool by_shapes = std::ranges::all_of(run.set.points, &RooflinePoint::by_shapes);
  if (mfu || hfu)
    text += fmt::format(" of the step of {} on the clock{}.", format_seconds(run.set.step->clock),
                        by_shapes ? " (FLOPs by shapes, not counted)" : "");
  return text;
}

std::vector<std::string> write_roofline(const fs::path& folder,
                                        const std::vector<RooflineRun>& runs,
                                        const Ceilings& ceilings,
                                        const std::vector<MemoryLevel>& levels) {
  std::vector<std::string> problems = write_tables(folder, runs, ceilings);
  for (std::string& problem : draw_runs(folder, runs, ceilings, levels))
    problems.push_back(std::move(problem));
  return problems;
}

std::vector<std::string> draw_runs(const fs::path& folder, const std::vector<RooflineRun>& runs,
                                   const Ceilings& ceilings,
                                   const std::vector<MemoryLevel>& levels) {
  std::vector<std::string> problems;
  std::vector<RooflineScene> scenes;
  std::vector<std::string> stems;
  for (const MemoryLevel level : levels) {
    try {
      scenes.push_back(
          make_scene(shown_sets(runs), ceilings, {.level = level, .compare = runs.size() == 2}));
      stems.push_back(level == levels.front() ? "roofline" : "roofline-" + lower(name_of(level)));
    } catch (const Error& error) {
      if (error.fault() != Fault::BadInput) throw;
      problems.push_back(fmt::format("no picture by {}: {}", name_of(level), error.what()));
    }
  }
  write_file_atomically(folder / "report.md", roofline_markdown(runs, ceilings));
  if (!scenes.empty()) write_page(folder / "report.html", scenes, runs, ceilings);
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    draw(folder / (stems[i] + ".png"), scenes[i], problems);
    draw(folder / (stems[i] + ".svg"), scenes[i], problems);
  }
  return problems;
}

std::vector<RooflineRun> read_roofline(const fs::path& folder) {
  std::vector<RooflineRun> runs;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (!is_points_file(file.path())) continue;
    constexpr Bytes kLargest{1e9};
    RooflineRun run{.set =
                        parse_points_json(read_file(file.path(), kLargest), file.path().string())};
    run.groups = judged_groups(run.set.points, PointGrouping::Kernel, run.set.ceilings);
    runs.push_back(std::move(run));
  }
  if (runs.empty())
    throw bad_input(fmt::format("{}: a run of roofline without points*.json", folder.string()));
  const auto place = [](const RooflineRun& run) {
    return std::pair(run.set.step ? run.set.step->setting : 0, run.set.label);
  };
  std::ranges::sort(runs, {}, place);
  return runs;
}

}  // namespace ridgeline
