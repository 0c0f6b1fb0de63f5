#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/train_console.h"
#include "cli/train_data.h"
#include "cli/train_log.h"
#include "cli/train_profile.h"
#include "cli/train_recipe.h"
#include "cli/train_request.h"
#include "cli/train_setup.h"
#include "cli/train_weights.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/timestamp.h"
#include "report/training_report.h"
#include "train/performance_summary.h"
#include "train/record.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kExamples = R"(Examples:
  ridgeline train resnet18 --epochs 1 --batch-size 128 --data synthetic
  ridgeline train resnet18 --epochs 5 --data cifar10 --out-dir artifacts
  ridgeline train resnet18 --resume artifacts/resnet18_best.pt --epochs 6 --data cifar10
  ridgeline train resnet18 --stem cifar --precision bf16 --mode graph --until-accuracy 94
  ridgeline train tiny-llama --batch-size 8 --seq-len 128 --num-steps 20
  ridgeline train transformer --d-model 256 --num-layers 4 --num-heads 8 --text FILE)";

// Everything that the run left in its folders, checkpoints first.
std::vector<fs::path> written_files(const TrainOutcome& outcome, const fs::path& folder,
                                    const fs::path& profiles, const TrainingLog& log) {
  std::vector<fs::path> files = outcome.files;
  const auto add = [&](const fs::path& file) {
    std::error_code ignored;
    const bool listed = std::ranges::find(files, file) != files.end();
    if (!listed && fs::is_regular_file(file, ignored)) files.push_back(file);
  };
  for (const char* name : {"metrics.csv", "training_curves.png", "training_curves.svg",
                           "summary.md", "run.json", "report.html"})
    add(folder / name);
  add(profiles / "performance_summary.json");
  add(log.events());
  return files;
}

// A failure is told only now, when what was measured until then is written: a folder that cannot be
// written must not hide it.
int finish(const TrainOutcome& outcome, RunDocument& run, const RunFolder& folder,
           const TrainFlags& flags, const TrainSetup& setup, const TrainingLog& log) {
  run.finished = utc_now();
  try {
    const auto problems = publish(run, folder.path());
    if (!flags.common.quiet && !flags.common.json) {
      fmt::print("{}", closing_text(outcome, setup, log.tokens_a_sample()));
      const fs::path profiles = flags.profile_dir.value_or(folder.path());
      for (const fs::path& file : written_files(outcome, folder.path(), profiles, log))
        fmt::print("wrote               {}\n", file.string());
      for (const std::string& problem : problems) fmt::print("{}\n", problem);
    }
    hand_out(run, folder.path(), flags.common);
  } catch (const Error&) {
    if (!outcome.loop.failure) throw;
  }
  std::fflush(stdout);
  if (outcome.loop.failure) std::rethrow_exception(outcome.loop.failure);
  return outcome.loop.end == LoopEnd::Interrupted ? kExitInterrupted : kExitOk;
}

// What would fail after the data was read and the first epoch done, found before.
void require_usable(const TrainFlags& flags) {
  require_writable(flags.common);
  for (const auto& folder : {flags.out_dir, flags.profile_dir}) {
    if (folder) require_writable_file(*folder / "any");
  }
  if (flags.resume && flags.profile_one_step)
    throw bad_input("--profile-one-step starts anew: leave --resume out");
  if (flags.resume && !fs::exists(*flags.resume))
    throw bad_input(fmt::format("--resume {}: no such file", flags.resume->string()));
}

// A run that fails before its first step is none.
template <class Work>
TrainOutcome train_or_leave_nothing(const Work& work, RunFolder& folder) {
  try {
    return work();
  } catch (...) {
    folder.discard();
    throw;
  }
}

int run_train(const TrainFlags& flags) {
  TrainSetup planned = resolve(flags, wanted_device(flags.common.device));
  if (flags.dry_run) {
    planned.model = foreseen_model(flags.data, planned);
    // How many steps an epoch has, only the data could tell.
    const std::int64_t steps = planned.epochs > 0 ? 0 : planned.schedule.total_steps;
    fmt::print("{}", configuration_text(planned, {.total_steps = steps},
                                        describe_data(flags.data, planned)));
    return kExitOk;
  }
  require_usable(flags);
  const Session session = open_session(flags.common);
  const TrainSetup setup = resolve(flags, session.device);
  const bool talks = !flags.common.quiet && !flags.common.json;
  const std::optional<fs::path> weights = find_weights(flags, setup.model, talks);
  TrainData data(flags.data, setup, session.engine.backend(session.device), talks);
  RunFolder folder = RunFolder::create(flags.common.out, "train");
  RunDocument run = begin_document("train", flags.common, &session.engine);
  const TrainRequest request = request_for(flags, setup, data, weights, folder);
  run.settings.update(recipe_json(flags, setup, request));
  if (talks) {
    TrainSetup shown = setup;
    shown.model = request.model;
    if (request.profile) shown.epochs = 0;
    if (setup.schedule.warmup_steps >= request.plan.total_steps)
      shown.remarks.push_back(fmt::format(
          "the warm-up of the rate, {} steps, is longer than the run; --warmup changes it",
          setup.schedule.warmup_steps));
    fmt::print("{}\n", configuration_text(shown, request.plan, data.description()));
    std::fflush(stdout);
  }
  TrainingLog log(flags, setup, request, data, folder.path());
  const auto profiler = TrainProfile::make(flags, session);
  const TrainHooks hooks{.around_step =
                             [&](std::int64_t step, const std::function<void()>& take) {
                               profiler ? profiler->take(step, take) : take();
                             },
                         .said = [&](const std::string& line) { log.say(line); },
                         .interrupted = [] { return interrupted(); },
                         .reported = [&](const StepReport& report) { log.add(report); },
                         .epoch_ended = [&](const EpochReport& report) { log.add(report); }};
  TrainOutcome outcome = train_or_leave_nothing(
      [&] {
        return train(
            session.engine, request, data.batches(),
            [&](Trainer& trainer) { return data.evaluate(trainer, hooks.interrupted); }, hooks);
      },
      folder);
  run.training = log.finish(outcome);
  const fs::path profiles = flags.profile_dir.value_or(folder.path());
  write_file_atomically(
      profiles / "performance_summary.json",
      json_text(performance_summary(*run.training, summary_facts(flags, setup, request, session))));
  if (profiler && !outcome.loop.failure) {
    const TrainProfile::Result profile =
        profiler->finish(profiles, request, session.engine, samples_per_s(outcome.loop.total));
    outcome.files.insert(outcome.files.end(), profile.files.begin(), profile.files.end());
    log.say(profile.text);
  }
  return finish(outcome, run, folder, flags, setup, log);
}

}  // namespace

void add_train(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("train", "train a model, with checkpoints and exact resume");
  command->footer(kExamples);
  const auto flags = std::make_shared<TrainFlags>();
  flags->common.arguments = line.arguments;
  add_train_flags(*command, *flags);
  command->callback([flags, &line] { line.chosen = [flags] { return run_train(*flags); }; });
}

}  // namespace ridgeline
