#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common_flags.h"
#include "cli/publish.h"
#include "cli/row_line.h"
#include "cli/session.h"
#include "cli/workload_flags.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/table.h"
#include "core/text.h"
#include "core/timestamp.h"
#include "measure/warmup_study.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kExamples = R"(Example:
  ridgeline warmup transformer --size small --warmup-steps 0,1,2,5,10 --measure-steps 10 --csv warmup.csv
Every setting runs in a fresh process: in one process only the first is cold.)";

struct WarmupFlags {
  CommonFlags common;
  WorkloadFlags workload;
  std::vector<std::string> warmup_steps{"0,1,2,5,10"};
  bool dry_run = false;
};

std::vector<int> warmup_list(const WarmupFlags& flags) {
  constexpr long kMostSteps = 1'000'000;
  std::vector<int> steps;
  for (const long value : parse_list_at_least(
           "--warmup-steps", fmt::format("{}", fmt::join(flags.warmup_steps, ",")), 0)) {
    if (value > kMostSteps)
      throw bad_input(fmt::format("--warmup-steps: {} is above {}", value, kMostSteps));
    steps.push_back(static_cast<int>(value));
  }
  return steps;
}

std::string setting_table(const json& study, const std::vector<json>& rows) {
  Table table({{.title = "warm-up steps", .right_aligned = true},
               {.title = "mean", .right_aligned = true},
               {.title = "std", .right_aligned = true},
               {.title = "CV", .right_aligned = true}});
  for (const json& point : study.at("points")) {
    const json& time = point.at("time");
    const auto shown = [&](const char* key, double scale, const char* unit) {
      return time.contains(key) ? fmt::format("{:.2f} {}", scale * time.at(key).get<double>(), unit)
                                : std::string("-");
    };
    table.add({std::to_string(point.at("warmup_steps").get<int>()), shown("mean_s", 1e3, "ms"),
               shown("std_s", 1e3, "ms"), shown("cv_percent", 1, "%")});
  }
  std::string text = table.to_text();
  for (const json& row : rows) {
    if (row.at("outcome") != "measured")
      text +=
          fmt::format("{} warm-up steps: {}: {}\n", row.at("plan").at("warmup_steps").get<int>(),
                      row.at("outcome").get<std::string>(), row.at("reason").get<std::string>());
  }
  return text;
}

// A study measures so many samples for each number of warm-up steps.
RowSpec with_samples(RowSpec spec) {
  if (!spec.plan.measure_steps) spec.plan.measure_steps = 10;
  return spec;
}

void print_plan(const RowSpec& spec, const std::vector<int>& steps) {
  fmt::print("{}: {} samples after {} warm-up steps each, in fresh processes\n", describe(spec),
             *spec.plan.measure_steps, fmt::join(steps, ", "));
}

int run_warmup(const WarmupFlags& flags) {
  refuse_conflicts(flags.common);
  const Device device = wanted_device(flags.common.device);
  const auto specs = expand(flags.workload, device, flags.common.threads, flags.common.seed);
  if (specs.size() != 1)
    throw bad_input(fmt::format("warmup studies one setting at a time, this is {}", specs.size()));
  const std::vector<int> steps = warmup_list(flags);
  if (flags.dry_run) {
    print_plan(with_samples(specs.front()), steps);
    return kExitOk;
  }
  require_writable(flags.common);
  // The children load the engine; here it is only asked whether the device can be used at all.
  const Session session = open_session(flags.common);
  const RowSpec spec = with_samples(
      expand(flags.workload, session.device, flags.common.threads, flags.common.seed).front());
  RunFolder folder = RunFolder::create(flags.common.out, "warmup");
  RunDocument run = begin_document("warmup", flags.common, &session.engine);
  Progress progress({.enabled = !flags.common.quiet, .total = steps.size() + 3});
  const WarmupStudy study =
      study_warmup(spec, steps,
                   {.interrupted = [] { return interrupted(); },
                    .started = [&](const std::string& what) { progress.begin(what); },
                    .finished =
                        [&](const json& row) {
                          folder.append_row(row);
                          progress.finish_item();
                        }});
  progress.clear();
  run.rows = study.rows;
  end_if_refused(run.rows, folder);
  run.warmup_study = explain(study);
  run.finished = utc_now();
  const auto problems = publish(run, folder.path());
  if (talks(flags.common)) {
    fmt::print("\n{}\n{}\n", setting_table(*run.warmup_study, run.rows),
               run.warmup_study->at("advice").get<std::string>());
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  hand_out(run, folder.path(), flags.common);
  return exit_code_for(run.rows, flags.common);
}

}  // namespace

void add_warmup(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand("warmup", "how many warm-up steps the numbers need");
  command->footer(kExamples);
  const auto flags = std::make_shared<WarmupFlags>();
  flags->common.arguments = line.arguments;
  add_workload_flags(*command, flags->workload);
  command->add_option("--warmup-steps", flags->warmup_steps, "the numbers of steps to try")
      ->capture_default_str()
      ->group("Measuring");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop")->group("Measuring");
  add_common_flags(*command, flags->common);
  command->callback([flags, &line] { line.chosen = [flags] { return run_warmup(*flags); }; });
}

}  // namespace ridgeline
