#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include "cli/common_flags.h"
#include "cli/numbers.h"
#include "cli/roofline_counters.h"
#include "cli/roofline_flags.h"
#include "cli/roofline_subject.h"
#include "cli/session.h"
#include "cli/workload_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/table.h"
#include "core/text.h"
#include "core/timestamp.h"
#include "report/csv.h"
#include "report/roofline_tables.h"
#include "roofline/datasheet.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroup = "Roofline";
constexpr std::size_t kMostSettings = 8;
constexpr std::uint64_t kMostRows = 1'000'000;

struct RunFlags {
  CommonFlags common;
  WorkloadFlags workload;
  CeilingFlags ceilings;
  std::string per = "op";
  std::string levels = "dram";
  std::string counters = "auto";
  std::string cache = "none";
  std::size_t top = 15;
  std::vector<std::string> meaningless;  // flags of bench that were given
  bool dry_run = false;
};

RooflineRequest request_of(const RunFlags& flags) {
  RooflineRequest request{.per = parse_points_per(flags.per),
                          .levels = {},
                          .counters = parse_counter_use(flags.counters),
                          .cache = parse_cache_control(flags.cache),
                          .quiet = flags.common.quiet};
  for (const std::string& word : split_list(flags.levels)) {
    const MemoryLevel level = level_named(word);
    if (std::ranges::find(request.levels, level) == request.levels.end())
      request.levels.push_back(level);
  }
  if (request.levels.empty()) throw bad_input("--levels names none; for example dram,l2");
  if (flags.workload.measure_steps) request.steps = *flags.workload.measure_steps;
  return request;
}

std::vector<RowSpec> specs_for(const RunFlags& flags, const Device& device) {
  auto specs = expand(flags.workload, device, flags.common.threads, flags.common.seed);
  if (specs.size() > kMostSettings)
    throw bad_input(fmt::format("one picture holds up to {} settings, this is {}", kMostSettings,
                                specs.size()));
  for (const RowSpec& spec : specs) refuse_lone_phases(spec, "a roofline");
  return specs;
}

// Before anything is loaded or measured.
void refuse(const RunFlags& flags, const RooflineRequest& request, const Device& device) {
  if (flags.ceilings.gpu) (void)datasheet(*flags.ceilings.gpu);
  refuse_conflicts(flags.common);
  if (!flags.meaningless.empty())
    throw bad_input(
        fmt::format("{} means nothing to a roofline, which records as many steps as --steps says",
                    flags.meaningless.front()));
  const auto asked = [&](MemoryLevel level) {
    return std::ranges::find(request.levels, level) != request.levels.end();
  };
  for (const auto& [given, level, flag] :
       {std::tuple{flags.ceilings.peak_bw, MemoryLevel::Dram, "--peak-bw"},
        {flags.ceilings.peak_l2, MemoryLevel::L2, "--peak-l2"},
        {flags.ceilings.peak_l1, MemoryLevel::L1, "--peak-l1"}}) {
    if (given && !asked(level))
      throw bad_input(fmt::format("{} is of {}, which --levels {} does not ask for", flag,
                                  name_of(level), flags.levels));
  }
  if (flags.workload.cold_cache)
    throw bad_input(
        "--cold-cache writes all over memory before each step, which would count as the model's "
        "own work; --cache-control all empties the caches before each counted kernel");
  if (request.cache == CacheControl::All && device.kind == DeviceKind::Cpu)
    throw bad_input("--cache-control all is for counted kernels, and a CPU's are not counted");
  if (request.counters == CounterUse::On) {
    if (const auto obstacle = counter_obstacle({.device = device}))
      throw bad_input(fmt::format("--counters on: there are no counters: {}", *obstacle));
  }
  if (request.per == PointsPer::Kernel && device.kind == DeviceKind::Cpu)
    throw bad_input("--per kernel needs a GPU; --per op, module and phase work on a CPU");
}

// Only the levels that were asked for have a line.
Ceilings shown_ceilings(Ceilings ceilings, const std::vector<MemoryLevel>& levels) {
  for (const MemoryLevel level : all_memory_levels()) {
    if (std::ranges::find(levels, level) == levels.end()) ceilings.set(level, std::nullopt);
  }
  return ceilings;
}

void print_run(const RooflineRun& run, const Ceilings& ceilings, std::size_t top) {
  const ReaderTable shown = roofline_table(
      run.groups, ceilings, {.top = top, .name_width = 40, .level = shown_level(run.set)});
  Table table(shown.columns);
  for (const auto& row : shown.rows) table.add(row);
  fmt::print("{}\n\n{}", run.set.label, table.to_text());
  if (run.groups.size() > shown.rows.size())
    fmt::print("… and {} more (--top)\n", run.groups.size() - shown.rows.size());
  fmt::print("\n{}\n", run_sentence(run, ceilings));
  if (const auto causes = cause_sentence(run.set.points, ceilings)) fmt::print("{}\n", *causes);
  if (const auto unheld = without_peak_sentence(run.set.points, ceilings))
    fmt::print("{}\n", *unheld);
  for (const std::string& note : run.set.notes) fmt::print("{}\n", note);
  fmt::print("\n");
}

void print_runs(const std::vector<RooflineRun>& runs, const Ceilings& ceilings,
                const RunFlags& flags) {
  for (const RooflineRun& run : runs) print_run(run, ceilings, flags.top);
}

CsvTable csv_of(const std::vector<RooflineRun>& runs, const Ceilings& ceilings) {
  CsvTable all;
  for (const RooflineRun& run : runs) {
    CsvTable table = roofline_csv(run.groups, ceilings, run.set);
    all.header = std::move(table.header);
    std::ranges::move(table.rows, std::back_inserter(all.rows));
  }
  return all;
}

// One setting is a document, several are a list of them.
std::string json_of(const std::vector<RooflineRun>& runs) {
  if (runs.size() == 1) return points_json(runs.front().set);
  std::string text;
  for (const RooflineRun& run : runs) text += (text.empty() ? "[\n" : ",\n") + points_json(run.set);
  return text + "]\n";
}

void hand_out_run(const std::vector<RooflineRun>& runs, const Ceilings& ceilings,
                  const RunFlags& flags, const fs::path& folder) {
  const auto write = [](const std::string& file, const std::string& content) {
    if (file == "-") {
      fmt::print("{}", content);
    } else {
      write_file_atomically(file, content);
    }
  };
  const CommonFlags& common = flags.common;
  if (common.csv)
    write(
        common.csv->empty() ? (fs::path(kDefaultCsvFolder) / "roofline.csv").string() : *common.csv,
        to_csv(csv_of(runs, ceilings)));
  if (common.markdown) write(*common.markdown, roofline_markdown(runs, ceilings));
  if (common.json) fmt::print("{}", json_of(runs));
  if (!talks(common) || common.markdown == "-") return;  // that is the whole report
  print_runs(runs, ceilings, flags);
  fmt::print("Run folder: {}\n", folder.string());
}

// What fails before the first setting is done leaves no folder.
std::vector<RooflineRun> measure(const Session& session, const std::vector<RowSpec>& specs,
                                 const RooflineRequest& request, const RoofsHere& roofs,
                                 RunFolder& folder) {
  std::vector<RooflineRun> runs;
  try {
    for (const RowSpec& spec : specs) {
      auto run = roofline_of(session, spec, request, roofs);
      if (!run) break;
      if (specs.size() > 1) run->set.step->setting = static_cast<int>(runs.size()) + 1;
      runs.push_back(std::move(*run));
    }
  } catch (...) {
    folder.discard();
    throw;
  }
  if (runs.empty()) folder.discard();
  return runs;
}

// What was measured is shown even where it cannot be kept, as on a full disk.
void keep(const std::vector<RooflineRun>& runs, const Ceilings& ceilings,
          const RooflineRequest& request, const RunFlags& flags, const RunDocument& document,
          RunFolder& folder) {
  try {
    folder.write("run.json", json_text(run_json(document)));
    for (const std::string& problem : write_roofline(folder.path(), runs, ceilings, request.levels))
      fmt::print(stderr, "ridgeline: {}\n", problem);
  } catch (const Error&) {
    if (talks(flags.common)) print_runs(runs, ceilings, flags);
    throw;
  }
}

int run_roofline(const RunFlags& flags) {
  const RooflineRequest request = request_of(flags);
  const Device wanted = wanted_device(flags.common.device);
  if (flags.dry_run) {
    refuse(flags, request, wanted);
    for (const RowSpec& spec : specs_for(flags, wanted))
      fmt::print("{}: {} steps, per {}\n", describe(spec), request.steps, flags.per);
    return kExitOk;
  }
  (void)specs_for(flags, wanted);
  require_writable(flags.common);
  const Session session = open_session(flags.common);
  refuse(flags, request, session.device);
  const std::vector<RowSpec> specs = specs_for(flags, session.device);
  RunDocument document = begin_document("roofline", flags.common, &session.engine);
  RunFolder folder = RunFolder::create(flags.common.out, "roofline");
  // A datasheet stands in the place of all that would be measured.
  RoofsHere roofs;
  if (!flags.ceilings.gpu) roofs = roofs_here(session.engine, specs, request.levels);
  if (flags.ceilings.peak_compute) {
    roofs.products.clear();
    roofs.without_product.clear();
  }
  roofs.ceilings = shown_ceilings(ceilings_of(flags.ceilings, roofs.ceilings), request.levels);
  const Ceilings& ceilings = roofs.ceilings;
  const auto runs = measure(session, specs, request, roofs, folder);
  if (runs.empty()) return kExitInterrupted;
  document.finished = utc_now();
  keep(runs, ceilings, request, flags, document, folder);
  hand_out_run(runs, ceilings, flags, folder.path());
  return interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace

void add_roofline_run(CLI::App& roofline, CommandLine& line) {
  CLI::App* const command = roofline.add_subcommand(
      "run", "step a model and hold each op against what this machine can do");
  command->footer(
      "Examples:\n"
      "  ridgeline roofline run resnet18 --device cpu --batch-size 16\n"
      "  ridgeline roofline run resnet18 --batch-size 128 --image-size 32 --precision fp32,bf16 "
      "--out roof\n"
      "  ridgeline roofline run transformer --size small --per op --levels dram,l2\n"
      "Several settings are drawn over each other; two with arrows.");
  const auto flags = std::make_shared<RunFlags>();
  flags->common.arguments = line.arguments;
  add_workload_flags(*command, flags->workload);
  command
      ->add_option("--per", flags->per,
                   "a point each kernel (GPU), op, module or phase, or one of the step")
      ->capture_default_str()
      ->group(kGroup);
  command->add_option("--levels", flags->levels, "of memory: dram, l3, l2, l1")
      ->capture_default_str()
      ->group(kGroup);
  command
      ->add_option("--counters", flags->counters,
                   "on, off, or auto: hardware counters where there are any, else shapes")
      ->capture_default_str()
      ->group(kGroup);
  command
      ->add_option("--cache-control", flags->cache,
                   "none, or all: empty the caches before each counted kernel, as ncu does")
      ->capture_default_str()
      ->group(kGroup);
  command->add_option("--top", flags->top, "rows to print")
      ->check(whole_number(1, kMostRows))
      ->capture_default_str()
      ->group(kGroup);
  command->add_flag("--dry-run", flags->dry_run, "say what would be run, and stop")->group(kGroup);
  add_ceiling_flags(*command, flags->ceilings);
  add_common_flags(*command, flags->common);
  // Refused with a reason, so nothing that help should offer.
  for (const char* const name : {"--cold-cache", "--budget", "--target"})
    command->get_option(name)->group("");
  command->get_option("--json")->description("print the points on standard output");
  command->callback([flags, command, &line] {
    for (const char* const name : {"--budget", "--target"})
      if (command->count(name) > 0) flags->meaningless.emplace_back(name);
    line.chosen = [flags] { return run_roofline(*flags); };
  });
}

}  // namespace ridgeline
