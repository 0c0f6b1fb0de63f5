#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/first_failure.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/train_console.h"
#include "cli/train_data.h"
#include "cli/train_log.h"
#include "cli/train_profile.h"
#include "cli/train_recipe.h"
#include "cli/train_refusals.h"
#include "cli/train_request.h"
#include "cli/train_setup.h"
#include "cli/train_weights.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/file_lock.h"
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

int finish(const TrainOutcome& outcome, RunDocument& run, const RunFolder& folder,
           const TrainFlags& flags, const TrainSetup& setup, const TrainingLog& log,
           FirstFailure& failure) {
  run.finished = utc_now();
  std::vector<std::string> problems;
  failure.attempt([&] { problems = publish(run, folder.path()); });
  failure.attempt([&] {
    if (!talks(flags.common)) return;
    fmt::print("{}", closing_text(outcome, setup, log.tokens_a_sample()));
    const fs::path profiles = flags.profile_dir.value_or(folder.path());
    for (const fs::path& file : written_files(outcome, folder.path(), profiles, log))
      fmt::print("wrote               {}\n", file.string());
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  });
  failure.attempt([&] { hand_out(run, folder.path(), flags.common); });
  std::fflush(stdout);
  failure.tell();
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
  // Where the checkpoints go when nobody says.
  if (flags.resume && !flags.out_dir) require_writable_file(flags.resume->parent_path() / "any");
}

// Two runs of one model in one folder would replace each other's checkpoints.
FileLock locked(const TrainRequest& request) {
  auto lock = FileLock::take(request.save.folder / fmt::format(".{}.lock", request.facts.model));
  if (!lock)
    throw bad_input(fmt::format("another run of {} is writing its checkpoints into '{}'",
                                request.facts.model, request.save.folder.string()));
  return std::move(*lock);
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

int dry_run(const TrainFlags& flags, TrainSetup planned) {
  planned.model = foreseen_model(flags.data, planned);
  foresee_refusals(flags.data, planned);
  // How many steps an epoch has, only the data could tell.
  const std::int64_t steps = planned.epochs > 0 ? 0 : planned.schedule.total_steps;
  fmt::print("{}", configuration_text(planned, {.total_steps = steps},
                                      describe_data(flags.data, planned)));
  return kExitOk;
}

// Its own are those beside the checkpoint that is resumed.
std::string replaced_files(const TrainRequest& request) {
  std::error_code ignored;
  const bool own = request.resume &&
                   fs::equivalent(fs::absolute(*request.resume).parent_path(),
                                  fs::absolute(request.save.folder / "any").parent_path(), ignored);
  if (own || request.profile) return {};
  std::vector<std::string> names;
  for (const fs::path& file : replaceable(request.save, request.facts.model))
    names.push_back(file.string());
  return fmt::format("{}", fmt::join(names, ", "));
}

void show_configuration(const TrainSetup& setup, const TrainRequest& request,
                        const TrainData& data) {
  TrainSetup shown = setup;
  shown.model = request.model;
  if (request.profile) shown.epochs = 0;
  if (setup.schedule.warmup_steps > request.plan.total_steps)
    shown.remarks.push_back(fmt::format(
        "the warm-up of the rate, {} steps, is longer than the run; --warmup changes it",
        setup.schedule.warmup_steps));
  if (const std::string files = replaced_files(request); !files.empty())
    shown.remarks.push_back("files of an earlier run will be replaced: " + files);
  if (!data.note().empty()) shown.remarks.push_back(data.note());
  if (const std::string other = other_normalisation(request); !other.empty())
    shown.remarks.push_back(other);
  fmt::print("{}\n", configuration_text(shown, request.plan, data.description()));
  std::fflush(stdout);
}

TrainHooks hooks_for(TrainingLog& log, TrainProfile* profiler) {
  TrainHooks hooks{.said = [&log](const std::string& line) { log.say(line); },
                   .interrupted = [] { return interrupted(); },
                   .reported = [&log](const StepReport& report) { log.add(report); },
                   .epoch_ended = [&log](const EpochReport& report) { log.add(report); }};
  if (profiler != nullptr)
    hooks.around_step = [profiler](std::int64_t step, const std::function<void()>& take) {
      profiler->take(step, take);
    };
  if (profiler != nullptr) hooks.steps_pause = [profiler] { profiler->steps_pause(); };
  return hooks;
}

TrainOutcome train_with(const Session& session, const TrainRequest& request, TrainData& data,
                        const TrainHooks& hooks, TrainProfile* profiler, RunFolder& folder) {
  BatchSource& batches = profiler != nullptr ? profiler->watch(data.batches()) : data.batches();
  Evaluate evaluate;
  if (data.is_tested())
    evaluate = [&](Trainer& trainer) { return data.evaluate(trainer, hooks.interrupted); };
  return train_or_leave_nothing(
      [&] {
        // A profiled step is saved nowhere.
        const auto lock = request.profile ? std::nullopt : std::optional(locked(request));
        return train(session.engine, request, batches, evaluate, hooks);
      },
      folder);
}

// Of a training that failed what was recorded until then.
void finish_profile(TrainProfile& profiler, const fs::path& folder, const TrainRequest& request,
                    TrainOutcome& outcome, const TrainingLog& log) {
  if (outcome.loop.failure) return profiler.rescue(folder, request, outcome);
  const TrainProfile::Result profile = profiler.finish(folder, request, outcome);
  outcome.files.insert(outcome.files.end(), profile.files.begin(), profile.files.end());
  log.say(profile.text);
  if (!profile.lost.empty())
    throw Error(Fault::Io, fmt::format("{}", fmt::join(profile.lost, "; ")));
}

int run_train(const TrainFlags& flags) {
  refuse_conflicts(flags.common);
  TrainSetup planned = resolve(flags, wanted_device(flags.common.device));
  if (flags.dry_run) return dry_run(flags, std::move(planned));
  require_usable(flags);
  const Session session = open_session(flags.common);
  const TrainSetup setup = resolve(flags, session.device);
  const bool says = talks(flags.common);
  const std::optional<fs::path> weights = find_weights(flags, setup.model, says);
  TrainData data(flags.data, setup, session.engine.backend(session.device), says);
  if (setup.epochs > 0) refuse_endless_runs(setup.epochs, data.steps_per_epoch());
  RunFolder folder = RunFolder::create(flags.common.out, "train");
  RunDocument run = begin_document("train", flags.common, &session.engine);
  const TrainRequest request = request_for(flags, setup, data, weights, folder);
  run.settings.update(recipe_json(flags, setup, request));
  if (says) show_configuration(setup, request, data);
  TrainingLog log(flags, setup, request, data, folder.path());
  const auto profiler = TrainProfile::make(flags, session);
  watch_broken_pipes();
  TrainOutcome outcome =
      train_with(session, request, data, hooks_for(log, profiler.get()), profiler.get(), folder);
  FirstFailure failure(outcome.loop.failure);
  failure.attempt([&] { log.tell(); });
  failure.attempt([&] { log.end_events(outcome); });
  run.training = log.finish(outcome);
  const fs::path profiles = flags.profile_dir.value_or(folder.path());
  failure.attempt([&] {
    write_file_atomically(profiles / "performance_summary.json",
                          json_text(performance_summary(
                              *run.training, summary_facts(flags, setup, request, session))));
  });
  if (profiler)
    failure.attempt([&] { finish_profile(*profiler, profiles, request, outcome, log); });
  return finish(outcome, run, folder, flags, setup, log, failure);
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
