#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/common_flags.h"
#include "cli/numbers.h"
#include "cli/output_files.h"
#include "cli/roofline_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/format.h"
#include "core/table.h"
#include "report/csv.h"
#include "report/markdown.h"
#include "report/roofline_remarks.h"
#include "report/roofline_tables.h"
#include "roofline/datasheet.h"
#include "roofline/ncu_file.h"
#include "roofline/points_file.h"
#include "roofline/summary_file.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

constexpr std::uint64_t kMostRows = 1'000'000;

struct ParseFlags {
  std::filesystem::path file;
  std::string label = "workload";
  std::optional<std::string> out;  // absent: summary.txt, where nothing else was asked for
  CeilingFlags ceilings;
  std::string per = "kernel";
  std::size_t top = 20;
  std::optional<double> model_flop;
  std::optional<std::string> json;
  std::optional<std::string> csv;
  std::optional<std::string> markdown;
  bool quiet = false;
  bool dry_run = false;
};

// What goes to standard output is for a program, which need not find a file it did not ask for.
std::optional<std::string> summary_file(const ParseFlags& flags, bool on_output) {
  if (flags.out) return flags.out;
  return on_output ? std::nullopt : std::optional<std::string>("summary.txt");
}

// All that is written, before anything is read.
void check_outputs(const ParseFlags& flags, const std::optional<std::string>& out) {
  std::vector<OutputFile> files;
  const auto add = [&](std::string_view flag, const std::optional<std::string>& name) {
    if (name && *name != "-") files.push_back({.flag = flag, .file = *name});
  };
  add("--out", out);
  add("--json", flags.json);
  add("--csv", flags.csv);
  add("--markdown", flags.markdown);
  refuse_overwriting({flags.file}, files);
  for (const OutputFile& output : files) require_writable_file(output.file);
}

void write_output(const std::string& file, const std::string& content) {
  if (file == "-") {
    fmt::print("{}", content);
  } else {
    write_file_atomically(file, content);
  }
}

void print_summary(const RooflineSummary& summary, const std::string& out) {
  const double nan = std::nan("");
  fmt::print("Wrote summary to {}\nLabel: {}\n", out, summary.label);
  fmt::print("Step time (s): {:.6e}\n", summary.seconds);
  fmt::print("GFLOP/s:       {:.3f}\n", summary.gflop_per_s);
  fmt::print("GB/s:          {:.3f}\n", summary.gb_per_s);
  fmt::print("AI (FLOP/B):   {:.6f}\n", summary.flop_per_byte);
  fmt::print("SM%:           {:.3f}\n", summary.sm_percent.value_or(nan));
  fmt::print("DRAM%:         {:.3f}\n", summary.dram_percent.value_or(nan));
}

std::string utilisation_text(double used) {
  if (used <= kMostCredible) return fmt::format("{:.1f} %", 100 * used);
  return fmt::format(
      "{:.4g} % (suspect: nothing computes faster than its peak; is it this card's?)", 100 * used);
}

// Against the peak of the path that did most: what the model's products should run on.
void print_mfu(const PointSet& set, const ParseFlags& flags) {
  if (!flags.model_flop) return;
  const RooflinePoint total = total_of(set.points, "");
  const auto peak = set.ceilings.of(total.main_path());
  const auto used =
      peak ? model_flop_utilisation({*flags.model_flop}, total.time, *peak) : std::nullopt;
  if (used)
    fmt::print("MFU (the model's FLOPs of the {} peak): {}\n", name_of(total.main_path()),
               utilisation_text(*used));
}

void print_points(const std::vector<RooflinePoint>& groups, const PointSet& set,
                  const ParseFlags& flags) {
  const ReaderTable shown = roofline_table(groups, set.ceilings, {.top = flags.top});
  Table table(shown.columns);
  for (const auto& row : shown.rows) table.add(row);
  fmt::print("\n{}", table.to_text());
  if (groups.size() > shown.rows.size())
    fmt::print("… and {} more (--top)\n", groups.size() - shown.rows.size());
  if (set.ceilings.empty()) {
    fmt::print(
        "\nFor bounds and what there is to win, name the card: --gpu L4, or give its peaks.\n");
  } else {
    fmt::print("\n{}\n", step_sentence(judge_step(set.points, set.ceilings), set.ceilings));
    if (const auto causes = cause_sentence(set.points, set.ceilings)) fmt::print("{}\n", *causes);
    if (const auto unheld = without_peak_sentence(set.points, set.ceilings))
      fmt::print("{}\n", *unheld);
    if (const auto remark = above_ceiling_remark({{.points = groups}}, set.ceilings))
      fmt::print("{}\n", *remark);
    if (const auto used = hardware_flop_utilisation(total_of(set.points, ""), set.ceilings))
      fmt::print("HFU (executed FLOPs of the peak): {}\n", utilisation_text(*used));
    print_mfu(set, flags);
  }
  for (const std::string& note : set.notes) fmt::print("{}\n", note);
}

int run_parse(const ParseFlags& flags) {
  const PointGrouping grouping = point_grouping(flags.per);
  if (flags.ceilings.gpu) (void)datasheet(*flags.ceilings.gpu);
  const auto is_output = [](const auto& flag) { return flag == "-"; };
  const int on_output = is_output(flags.out) + is_output(flags.json) + is_output(flags.csv) +
                        is_output(flags.markdown);
  if (on_output > 1)
    throw bad_input("only one of --out, --json, --csv and --markdown can go to standard output");
  const auto out = summary_file(flags, on_output > 0);
  if (flags.dry_run) {
    fmt::print("would read {} and write {}\n", flags.file.string(), out.value_or("no summary"));
    return kExitOk;
  }
  check_outputs(flags, out);
  NcuPoints read = read_ncu_file(flags.file);
  const RooflineSummary summary = summary_of(read, flags.label, flags.file.string());
  PointSet set{.label = flags.label, .source = "ncu: " + flags.file.string()};
  const auto of_device = datasheet_of_device(read.device_name);
  set.ceilings = ceilings_of(flags.ceilings, of_device.value_or(Ceilings{}));
  set.notes = read.notes;
  set.points = std::move(read.points);
  if (const auto remark = contradiction_remark(set, set.ceilings)) set.notes.push_back(*remark);
  if (flags.model_flop && !set.ceilings.of(total_of(set.points, "").main_path()))
    throw bad_input("--model-flops gives MFU, which needs a peak: --gpu L4, or --peak-compute");
  const auto groups = judged_groups(set.points, grouping, set.ceilings);
  if (out) write_output(*out, summary_text(summary));
  if (!flags.quiet && on_output == 0) {
    print_summary(summary, *out);
    print_points(groups, set, flags);
  }
  if (flags.json) write_output(*flags.json, points_json(set));
  if (flags.csv) write_output(*flags.csv, to_csv(roofline_csv(groups, set.ceilings, set)));
  if (flags.markdown)
    write_output(*flags.markdown,
                 to_markdown(roofline_table(groups, set.ceilings, {.top = flags.top})));
  return kExitOk;
}

}  // namespace

void add_roofline_parse(CLI::App& roofline, CommandLine& line) {
  CLI::App* const command =
      roofline.add_subcommand("parse", "what a file of Nsight Compute (CSV or .ncu-rep) tells");
  command->footer(
      "Examples:\n"
      "  ridgeline roofline parse report.csv --label resnet18_bs64_L4 --out summary.txt\n"
      "  ridgeline roofline parse report.csv --gpu L4 --per kind\n"
      "  ridgeline roofline parse report.ncu-rep --gpu H200 --json points.json");
  const auto flags = std::make_shared<ParseFlags>();
  command->add_option("file", flags->file, "what ncu --csv printed, or its report")
      ->required()
      ->type_name("FILE");
  command->add_option("--label", flags->label, "name of the run")->capture_default_str();
  command
      ->add_option("--out", flags->out,
                   "the summary (summary.txt, unless something goes to standard output); - is "
                   "standard output")
      ->type_name("FILE");
  command
      ->add_option("--per", flags->per, "a row each launch, kernel, kind, phase, or one in total")
      ->capture_default_str();
  command->add_option("--top", flags->top, "rows of the table")
      ->check(whole_number(1, kMostRows))
      ->capture_default_str();
  command
      ->add_option("--model-flops", flags->model_flop,
                   "FLOPs the model needs by its definition, all that the file holds: gives MFU")
      ->check(positive_number(1e30))
      ->type_name("NUMBER");
  command->add_option("--json", flags->json, "write every launch as JSON; - is standard output")
      ->type_name("FILE");
  command->add_option("--csv", flags->csv, "write the table in base units; - is standard output")
      ->type_name("FILE");
  command->add_option("--markdown", flags->markdown, "write the table; - is standard output")
      ->type_name("FILE");
  command->add_flag("--quiet", flags->quiet, "print nothing");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop");
  add_ceiling_flags(*command, flags->ceilings);
  command->callback([flags, &line] { line.chosen = [flags] { return run_parse(*flags); }; });
}

}  // namespace ridgeline
