#include "report/roofline_plot.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "cli/common_flags.h"
#include "cli/numbers.h"
#include "cli/output_files.h"
#include "cli/roofline_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "report/html.h"
#include "report/plotly_script.h"
#include "report/roofline_page.h"
#include "report/roofline_remarks.h"
#include "roofline/datasheet.h"
#include "roofline/point_source.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr double kMostNumber = 1e15;

struct PlotFlags {
  std::vector<fs::path> files;
  std::optional<fs::path> compare;
  std::optional<double> ai;
  std::optional<double> gflops;
  std::optional<double> sm_percent;
  std::optional<double> dram_percent;
  std::optional<std::string> dtype;
  std::optional<std::string> label;
  fs::path out = "roofline.png";
  std::string per = "kernel";
  std::string level = "DRAM";
  CeilingFlags ceilings;
  bool quiet = false;
  bool dry_run = false;
};

bool is_page(const fs::path& file) { return file.extension() == ".html"; }

ComputePath path_of(const PlotFlags& flags) { return path_of_dtype(flags.dtype.value_or("fp32")); }

void check(const PlotFlags& flags) {
  (void)point_grouping(flags.per);
  (void)path_of(flags);
  if (flags.ceilings.gpu) (void)datasheet(*flags.ceilings.gpu);
  if (flags.ai.has_value() != flags.gflops.has_value())
    throw bad_input("--ai and --gflops place a point together: give both or neither");
  if (!flags.ai && (flags.sm_percent || flags.dram_percent))
    throw bad_input(
        "--sm-pct and --dram-pct are of the point of --ai and --gflops; files have theirs");
  const std::size_t runs = flags.files.size() + (flags.ai ? 1 : 0);
  if (runs == 0) throw bad_input("nothing to plot: name a file, or give --ai and --gflops");
  if (flags.compare && runs != 1)
    throw bad_input("--compare sets one run beside another: name one file before it");
  const std::string kind = flags.out.extension().string();
  if (kind != ".png" && kind != ".svg" && kind != ".html")
    throw bad_input(
        fmt::format("{}: a roofline is drawn as .png, .svg or .html", flags.out.string()));
}

// A run as it was read, and as its dots are.
struct PlottedSets {
  std::vector<PointSet> fine{};
  std::vector<PointSet> shown{};
};

// FLOPs of files that do not say in which format they were computed are the ones of --dtype.
void move_to_dtype(RooflinePoint& point, ComputePath path) {
  const Flop flop = point.flop[index_of(ComputePath::Fp32)];
  point.flop[index_of(ComputePath::Fp32)] = Flop{};
  point.flop[index_of(path)] = flop;
}

PointSet given_point(const PlotFlags& flags) {
  RooflinePoint point{.label = flags.label.value_or("Workload"), .time = Seconds{1}};
  const double flop = *flags.gflops * 1e9;
  point.flop[index_of(path_of(flags))] = Flop{flop};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{flop / *flags.ai};
  point.sm_percent = flags.sm_percent;
  point.dram_percent = flags.dram_percent;
  return {.label = point.label, .source = "given by flags", .points = {point}};
}

std::vector<PointSet> collect(const PlotFlags& flags) {
  std::vector<PointSet> sets;
  for (const fs::path& file : flags.files) {
    for (PointSet& set : read_point_sets(file)) sets.push_back(std::move(set));
  }
  if (flags.label && sets.size() == 1) sets.front().label = *flags.label;
  if (flags.ai) sets.push_back(given_point(flags));
  if (flags.compare) sets.push_back(read_points(*flags.compare));
  bool has_summary = false;
  for (PointSet& set : sets) {
    if (!set.source.starts_with("summary: ")) continue;
    has_summary = true;
    move_to_dtype(set.points.front(), path_of(flags));
  }
  if (flags.dtype && !has_summary && !flags.ai)
    throw bad_input("--dtype is for summaries and the point of flags; these files tell their own");
  if (flags.compare && sets.size() != 2)
    throw bad_input(
        fmt::format("--compare sets one run beside another: these files have {}", sets.size()));
  return sets;
}

// Those that `parse` wrote into a file of points are there already.
void add_contradictions(std::vector<PointSet>& sets, const Ceilings& ceilings) {
  for (PointSet& set : sets) {
    const auto remark = contradiction_remark(set, ceilings);
    if (remark && std::ranges::find(set.notes, *remark) == set.notes.end())
      set.notes.push_back(*remark);
  }
}

PlottedSets grouped_sets(std::vector<PointSet> fine, const std::string& per,
                         const Ceilings& ceilings) {
  PlottedSets sets{.fine = std::move(fine)};
  sets.shown = sets.fine;
  for (PointSet& set : sets.shown)
    set.points = judged_groups(set.points, point_grouping(per), ceilings);
  return sets;
}

// Sums of launches hide which of them stood where: the step is judged by its fine points.
std::vector<std::string> sentences_of(const PlottedSets& sets, const Ceilings& ceilings) {
  std::vector<std::string> sentences;
  for (const PointSet& set : sets.fine)
    sentences.push_back(step_sentence(judge_step(set.points, ceilings), ceilings));
  return sentences;
}

void write_page(const fs::path& out, const RooflineScene& scene, const PlottedSets& sets,
                const Ceilings& ceilings) {
  write_file_atomically(
      out, html_page(roofline_page({scene}, sets.shown, ceilings, sentences_of(sets, ceilings)),
                     {.plotly_js = plotly_script()}));
}

void draw_picture(const fs::path& out, const RooflineScene& scene) {
  const DrawOutcome outcome = draw_roofline(scene, out);
  if (const auto* const missing = std::get_if<NotDrawn>(&outcome))
    throw Error(Fault::Io, fmt::format("cannot draw '{}': {} (a .html needs no gnuplot)",
                                       out.string(), missing->reason));
}

void tell(const RooflineScene& scene, const PlottedSets& sets, const Ceilings& ceilings,
          const PlotFlags& flags) {
  fmt::print("Saved roofline plot to {}\n", flags.out.string());
  const auto sentences = sentences_of(sets, ceilings);
  for (std::size_t i = 0; i < sets.shown.size(); ++i) {
    const PointSet& set = sets.shown[i];
    if (sets.fine[i].points.size() != 1) fmt::print("{}: {}\n", set.label, sentences[i]);
    if (set.points.size() != 1) continue;
    const RooflinePoint& point = set.points.front();
    const auto at = knee(ceilings, point.main_path(), MemoryLevel::Dram);
    fmt::print("Point: AI={:.3f} FLOP/byte, Y={:.1f} GFLOP/s{}\n",
               point.intensity(MemoryLevel::Dram).value_or(FlopPerByte{}).value,
               point.rate().value_or(FlopPerSecond{}).value / 1e9,
               at ? fmt::format(", knee AI={:.3f}", at->value) : "");
    const PointVerdict verdict = judge(point, ceilings);
    if (verdict.nearest && !verdict.binding && verdict.without_peak) {
      fmt::print("{}: {}\n", set.label, verdict.evidence);
    } else if (verdict.nearest) {
      fmt::print("{}: bound by {}, at {:.1f} % of {}\n", set.label, verdict.bound(),
                 100 * verdict.share, verdict.nearest->name());
    }
    if (verdict.share > kMostCredible) fmt::print("{}: {}\n", set.label, verdict.evidence);
  }
  for (const std::string& note : scene.notes) fmt::print("{}\n", note);
}

int run_plot(const PlotFlags& flags) {
  check(flags);
  const MemoryLevel level = level_named(flags.level);
  if (flags.dry_run) {
    fmt::print("would draw {}\n", flags.out.string());
    return kExitOk;
  }
  std::vector<fs::path> inputs = flags.files;
  if (flags.compare) inputs.push_back(*flags.compare);
  refuse_overwriting(inputs, {{"--out", flags.out}});
  require_writable_file(flags.out);
  std::vector<PointSet> fine = collect(flags);
  // Those of the first file that has any; where another's are others the picture says so.
  const auto known =
      std::ranges::find_if(fine, [](const PointSet& set) { return !set.ceilings.empty(); });
  const Ceilings ceilings =
      ceilings_of(flags.ceilings, known != fine.end() ? known->ceilings : Ceilings{});
  add_contradictions(fine, ceilings);
  const PlottedSets sets = grouped_sets(std::move(fine), flags.per, ceilings);
  RooflineScene scene =
      make_scene(sets.shown, ceilings, {.level = level, .compare = flags.compare.has_value()});
  if (scene.dots.empty())
    throw bad_input("every point lies far below the roofs, beyond the axes: nothing to draw");
  // A page has the notes of a file below its points.
  if (is_page(flags.out)) write_page(flags.out, scene, sets, ceilings);
  std::ranges::move(file_notes(sets.fine), std::back_inserter(scene.notes));
  if (!is_page(flags.out)) draw_picture(flags.out, scene);
  if (!flags.quiet) tell(scene, sets, ceilings, flags);
  return kExitOk;
}

void add_point_flags(CLI::App& command, PlotFlags& flags) {
  const auto add = [&](const char* name, std::optional<double>& value, const char* what,
                       double most) {
    command.add_option(name, value, what)
        ->check(positive_number(most))
        ->type_name("NUMBER")
        ->group("A point");
  };
  add("--ai", flags.ai, "arithmetic intensity, FLOP/byte", kMostNumber);
  add("--gflops", flags.gflops, "achieved GFLOP/s", kMostNumber);
  add("--sm-pct", flags.sm_percent, "how busy the multiprocessors were, % of peak", 100);
  add("--dram-pct", flags.dram_percent, "how busy DRAM was, % of peak", 100);
  command
      .add_option("--dtype", flags.dtype,
                  "format of a point that does not say: fp32 (default), bf16, ...")
      ->group("A point");
}

}  // namespace

void add_roofline_plot(CLI::App& roofline, CommandLine& line) {
  CLI::App* const command = roofline.add_subcommand("plot", "draw points under their roofs");
  command->footer(
      "Files are summaries, points as JSON, and CSVs or reports of ncu.\nExamples:\n"
      "  ridgeline roofline plot summary.txt --gpu L4 --out l4.png\n"
      "  ridgeline roofline plot report.csv --gpu L4 --out l4.html\n"
      "  ridgeline roofline plot fp32.csv --compare bf16.csv --gpu H200 --per kind\n"
      "  ridgeline roofline plot --ai 15.6 --gflops 1467 --peak-compute 30 --peak-bw 300");
  const auto flags = std::make_shared<PlotFlags>();
  command->add_option("files", flags->files, "what to plot")->type_name("FILE...");
  command->add_option("--compare", flags->compare, "another file, with arrows to its points")
      ->type_name("FILE");
  command->add_option("--label", flags->label, "name of the run");
  command->add_option("--out", flags->out, "a .png, .svg or .html")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("--per", flags->per, "a dot each launch, kernel, kind, phase, or one in total")
      ->capture_default_str();
  command->add_option("--level", flags->level, "whose bytes are along x: dram, l2 or l1")
      ->capture_default_str();
  command->add_flag("--quiet", flags->quiet, "print nothing");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop");
  add_point_flags(*command, *flags);
  add_ceiling_flags(*command, flags->ceilings);
  command->callback([flags, &line] { line.chosen = [flags] { return run_plot(*flags); }; });
}

}  // namespace ridgeline
