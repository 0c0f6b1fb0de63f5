#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench_loader.h"
#include "cli/command.h"
#include "cli/common_flags.h"
#include "cli/numbers.h"
#include "cli/publish.h"
#include "cli/row_line.h"
#include "cli/session.h"
#include "cli/workload_flags.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/timestamp.h"
#include "measure/ab.h"
#include "measure/sweep.h"
#include "report/writeup.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kExamples = R"(Examples:
  ridgeline bench transformer --size small,medium --phase forward,backward
  ridgeline bench transformer --size small --phase step --precision fp32,bf16 --mode eager,graph
  ridgeline bench resnet18 --batch-size 32,128 --image-size 32,224
  ridgeline bench attention --head-dim 64,128 --seq-len 256-16384*2 --phase forward,backward
  ridgeline bench model.pt --input 8x3x224x224:float32
  ridgeline bench resnet18 --ab "--mode eager" "--mode graph"
  ridgeline bench loader --transform rrc224 --workers 0,1,2
Default: 20 s and at least 10 samples a row, until the median is known to 1 %.)";

struct BenchFlags {
  CommonFlags common;
  WorkloadFlags workload;
  SweepOptions sweep;
  bool dry_run = false;
  bool ab_without_arms = false;
  std::string arm_a;
  std::string arm_b;
  int rounds = AbPlan{}.rounds;
  double threshold_percent = 100 * AbPlan{}.threshold;
};

void add_bench_flags(CLI::App& app, BenchFlags& flags) {
  add_workload_flags(app, flags.workload);
  add_warmup_steps(app, flags.workload);
  app.add_flag("--isolate", flags.sweep.isolate, "every row in a process of its own")
      ->group("Measuring");
  app.add_flag("--fit", flags.sweep.fit, "reduce context and batch until a row fits")
      ->group("Measuring");
  app.add_option("--ab-a", flags.arm_a)->group("");
  app.add_option("--ab-b", flags.arm_b)->group("");
  app.add_flag("--ab", flags.ab_without_arms)
      ->description(
          "A B: two settings interleaved, with a verdict: --ab \"--mode eager\" \"--mode graph\"")
      ->group("Measuring");
  app.add_option("--rounds", flags.rounds, "rounds of --ab")
      ->check(whole_number(1, kMaxUsefulRounds))
      ->capture_default_str()
      ->group("Measuring");
  app.add_option("--threshold", flags.threshold_percent,
                 "effects below this many percent do not matter to --ab")
      ->check(positive_number(100))
      ->capture_default_str()
      ->group("Measuring");
  app.add_flag("--dry-run", flags.dry_run, "say what would be measured, and stop")
      ->group("Measuring");
  add_common_flags(app, flags.common);
}

SampleHooks hooks_for(Progress& progress) {
  return {.interrupted = [] { return interrupted(); },
          .progressed = [&](double part) { progress.update(part); }};
}

// An arm is the command line with more flags after it; only those that say what is run.
Arm make_arm(const BenchFlags& base, const std::string& words, const Device& device) {
  BenchFlags flags = base;
  CLI::App parser;
  add_workload_flags(parser, flags.workload);
  add_warmup_steps(parser, flags.workload);
  parser.get_option("model")->required(false);
  try {
    parser.parse(words);
  } catch (const CLI::ParseError& error) {
    throw bad_input(fmt::format("--ab \"{}\": {}", words, error.what()));
  }
  const auto rows = expand(flags.workload, device, flags.common.threads, flags.common.seed);
  if (rows.size() != 1)
    throw bad_input(
        fmt::format("--ab \"{}\": an arm is one setting, this is {}", words, rows.size()));
  return {.name = words, .spec = rows.front()};
}

int finish(RunDocument& run, RunFolder& folder, const CommonFlags& flags) {
  end_if_refused(run.rows, folder);
  run.finished = utc_now();
  const auto problems = publish(run, folder.path());
  if (talks(flags)) {
    if (!run.rows.empty()) fmt::print("\n{}", writeup(run.rows));
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  hand_out(run, folder.path(), flags);
  if (!run.verdicts.empty()) return interrupted() ? kExitInterrupted : kExitOk;
  return exit_code_for(run.rows, flags);
}

int run_ab(const BenchFlags& flags) {
  const Device wanted = wanted_device(flags.common.device);
  // Complain about the flags before torch is loaded.
  const Arm planned_a = make_arm(flags, flags.arm_a, wanted);
  const Arm planned_b = make_arm(flags, flags.arm_b, wanted);
  if (flags.dry_run) {
    fmt::print("A, {}: {}\nB, {}: {}\n{} rounds, threshold {} %\n", planned_a.name,
               describe(planned_a.spec), planned_b.name, describe(planned_b.spec), flags.rounds,
               flags.threshold_percent);
    return kExitOk;
  }
  require_writable(flags.common);
  const Session session = open_session(flags.common);
  const Arm a = make_arm(flags, flags.arm_a, session.device);
  const Arm b = make_arm(flags, flags.arm_b, session.device);
  RunFolder folder = RunFolder::create(flags.common.out, "bench");
  RunDocument run = begin_document("bench", flags.common, &session.engine);
  Progress progress({.enabled = !flags.common.quiet, .total = 1});
  progress.begin(fmt::format("{} against {}", a.name, b.name));
  const json result = compare_arms(
      session.engine, a, b, {.rounds = flags.rounds, .threshold = flags.threshold_percent / 100},
      hooks_for(progress));
  progress.clear();
  if (!result.contains("verdict")) {
    folder.append_row(result);
    run.rows.push_back(result);
    return finish(run, folder, flags.common);
  }
  run.verdicts.push_back(result);
  if (talks(flags.common)) fmt::print("{}\n", result.at("sentence").get<std::string>());
  return finish(run, folder, flags.common);
}

int run_bench(const BenchFlags& flags) {
  refuse_conflicts(flags.common);
  if (flags.ab_without_arms)
    throw bad_input("--ab compares two settings: --ab \"--mode eager\" \"--mode graph\"");
  if (!flags.arm_a.empty() || !flags.arm_b.empty()) {
    if (flags.sweep.fit || flags.sweep.isolate)
      throw bad_input("--fit and --isolate mean nothing to --ab: its arms share one process");
    return run_ab(flags);
  }
  const auto expand_for = [&](const Device& device) {
    return expand(flags.workload, device, flags.common.threads, flags.common.seed);
  };
  const auto planned = expand_for(wanted_device(flags.common.device));
  if (flags.dry_run) {
    for (const RowSpec& spec : planned) fmt::print("{}\n", describe(spec));
    return kExitOk;
  }
  require_writable(flags.common);
  const Session session = open_session(flags.common);
  const auto specs = expand_for(session.device);
  RunFolder folder = RunFolder::create(flags.common.out, "bench");
  RunDocument run = begin_document("bench", flags.common, &session.engine);
  Progress progress({.enabled = !flags.common.quiet, .total = specs.size()});
  std::string description;
  const SweepHooks hooks{.started =
                             [&](const RowSpec& spec) {
                               description = describe(spec);
                               progress.begin(description);
                             },
                         .finished =
                             [&](const json& row) {
                               folder.append_row(row);
                               progress.finish_item();
                               progress.clear();
                               // A refusal ends the command and is said there.
                               const bool said_later = specs.size() == 1 && is_refused(row);
                               if (talks(flags.common) && !said_later)
                                 fmt::print("{}\n", row_line(row, description));
                               std::fflush(stdout);
                             },
                         .sampling = hooks_for(progress)};
  run.rows = sweep(session.engine, specs, flags.sweep, hooks);
  return finish(run, folder, flags.common);
}

}  // namespace

void add_bench(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("bench", "time forward, backward, optimizer and step, over sweeps");
  command->footer(kExamples);
  const auto flags = std::make_shared<BenchFlags>();
  flags->common.arguments = line.arguments;
  add_bench_flags(*command, *flags);
  add_bench_loader(*command, line);
  CLI::Option* const model = command->get_option("model");
  model->required(false);  // `bench loader` has none
  command->callback([flags, command, model, &line] {
    if (!command->get_subcommands().empty()) return;
    if (model->empty()) throw CLI::RequiredError(model->get_name());
    line.chosen = [flags] { return run_bench(*flags); };
  });
}

}  // namespace ridgeline
