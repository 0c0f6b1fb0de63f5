#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/train_console.h"
#include "cli/train_data.h"
#include "cli/train_profile.h"
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

constexpr const char* kExamples = R"(Examples:
  ridgeline train resnet18 --epochs 1 --batch-size 128 --data synthetic
  ridgeline train resnet18 --epochs 5 --data cifar10 --out-dir artifacts
  ridgeline train resnet18 --resume artifacts/resnet18_best.pt --epochs 6 --data cifar10
  ridgeline train resnet18 --stem cifar --precision bf16 --mode graph --until-accuracy 94
  ridgeline train tiny-llama --batch-size 8 --seq-len 128 --num-steps 20
  ridgeline train transformer --d-model 256 --num-layers 4 --num-heads 8 --text FILE)";

int finish(const TrainOutcome& outcome, RunDocument& run, const RunFolder& folder,
           const TrainFlags& flags, const TrainSetup& setup, std::int64_t tokens) {
  run.finished = utc_now();
  const auto problems = publish(run, folder.path());
  if (!flags.common.quiet && !flags.common.json) {
    fmt::print("{}", closing_text(outcome, setup, tokens));
    for (const fs::path& file : outcome.files)
      fmt::print("wrote               {}\n", file.string());
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  hand_out(run, folder.path(), flags.common);
  return outcome.loop.end == LoopEnd::Interrupted ? kExitInterrupted : kExitOk;
}

// What would fail after the data was read and the first epoch done, found before.
void require_usable(const TrainFlags& flags) {
  require_writable(flags.common);
  for (const auto& folder : {flags.out_dir, flags.profile_dir}) {
    if (folder) require_writable_file(*folder / "any");
  }
  if (flags.resume && !fs::exists(*flags.resume))
    throw bad_input(fmt::format("--resume {}: no such file", flags.resume->string()));
}

int dry_run(const TrainFlags& flags, const TrainSetup& planned) {
  // How many steps an epoch has, only the data could tell.
  const std::int64_t steps = planned.epochs > 0 ? 0 : planned.schedule.total_steps;
  fmt::print("{}", configuration_text(planned, {.total_steps = steps},
                                      describe_data(flags.data, planned)));
  return kExitOk;
}

void show_configuration(const TrainSetup& setup, const TrainRequest& request,
                        const TrainData& data) {
  TrainSetup shown = setup;
  shown.model = request.model;
  if (setup.schedule.warmup_steps >= request.plan.total_steps)
    shown.remarks.push_back(fmt::format(
        "the warm-up of the rate, {} steps, is longer than the run; --warmup changes it",
        setup.schedule.warmup_steps));
  fmt::print("{}\n", configuration_text(shown, request.plan, data.description()));
  std::fflush(stdout);
}

std::unique_ptr<EventFile> open_events(const TrainFlags& flags, const TrainSetup& setup,
                                       const TrainRequest& request, const fs::path& folder) {
  if (!flags.tensorboard) return nullptr;
  auto events = std::make_unique<EventFile>(EventFileOptions{.folder = folder});
  events->start_session(hyperparameters(setup, request),
                        {setup.hold_out > 0 ? "held_out/accuracy_percent"
                         : setup.images     ? "test/accuracy_percent"
                                            : "train/loss"});
  return events;
}

void close_events(EventFile* events, const TrainOutcome& outcome) {
  if (events == nullptr) return;
  events->end_session(outcome.loop.end == LoopEnd::Interrupted ? SessionEnd::Failure
                                                               : SessionEnd::Success);
  events->flush();
}

// Who is told of a training while it goes on: the terminal, the record, the profiler.
struct Listeners {
  const TrainSetup& setup;
  const TrainRequest& request;
  const fs::path& folder;
  TrainRecord& record;
  TrainProfile* profiler;  // may be null
  bool talks;

  void say(const std::string& line) const {
    if (talks) fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  // Rewritten as a whole each time, so that a kill leaves what was reported.
  void keep() const {
    write_file_atomically(folder / "metrics.csv", to_csv(training_csv(record.json())));
  }
  void reported(const StepReport& report) const {
    record.add(report);
    say(step_line(report, request.plan, setup.images));
    if (!setup.images) keep();
  }
  void epoch_ended(const EpochReport& report) const {
    record.add(report);
    if (!setup.images) return;
    say(epoch_line(report, request.plan, judged(setup)));
    keep();
  }
  [[nodiscard]] TrainHooks hooks() const {
    TrainHooks hooks{.said = [this](const std::string& line) { say(line); },
                     .interrupted = [] { return interrupted(); },
                     .reported = [this](const StepReport& report) { reported(report); },
                     .epoch_ended = [this](const EpochReport& report) { epoch_ended(report); }};
    if (profiler != nullptr)
      hooks.around_step = [this](std::int64_t step, const std::function<void()>& take) {
        profiler->take(step, take);
      };
    return hooks;
  }
};

TrainOutcome train_with(const Listeners& listeners, const Session& session, TrainData& data,
                        const fs::path& profiles) {
  TrainProfile* const profiler = listeners.profiler;
  BatchSource& batches = profiler != nullptr ? profiler->watch(data.batches()) : data.batches();
  try {
    return train(
        session.engine, listeners.request, batches,
        [&](Trainer& trainer) {
          if (profiler != nullptr) profiler->steps_pause();
          return data.evaluate(trainer);
        },
        listeners.hooks());
  } catch (const Error& error) {
    if (profiler != nullptr) profiler->rescue(profiles, listeners.request, error);
    throw;
  }
}

int run_train(const TrainFlags& flags) {
  const TrainSetup planned = resolve(flags, wanted_device(flags.common.device));
  if (flags.dry_run) return dry_run(flags, planned);
  require_usable(flags);
  const Session session = open_session(flags.common);
  const TrainSetup setup = resolve(flags, session.device);
  const bool talks = !flags.common.quiet && !flags.common.json;
  const std::optional<fs::path> weights = find_weights(flags, setup.model, talks);
  TrainData data(flags.data, setup, session.engine.backend(session.device), talks);
  RunFolder folder = RunFolder::create(flags.common.out, "train");
  RunDocument run = begin_document("train", flags.common, &session.engine);
  const TrainRequest request = request_for(flags, setup, data, weights, folder);
  if (talks) show_configuration(setup, request, data);
  const fs::path profiles = flags.profile_dir.value_or(folder.path());
  const std::unique_ptr<EventFile> events = open_events(flags, setup, request, profiles);
  TrainRecord record({.label = request.facts.model,
                      .tokens_a_sample = data.tokens_a_sample(),
                      .held_out_images = request.facts.hold_out},
                     events.get());
  const auto profiler = TrainProfile::make(flags, session);
  const Listeners listeners{.setup = setup,
                            .request = request,
                            .folder = folder.path(),
                            .record = record,
                            .profiler = profiler.get(),
                            .talks = talks};
  TrainOutcome outcome = train_with(listeners, session, data, profiles);
  run.training = record.finish(outcome);
  close_events(events.get(), outcome);
  write_file_atomically(
      profiles / "performance_summary.json",
      json_text(performance_summary(*run.training, summary_facts(flags, setup, request, session))));
  if (profiler) {
    const TrainProfile::Result profile = profiler->finish(profiles, request, outcome);
    outcome.files.insert(outcome.files.end(), profile.files.begin(), profile.files.end());
    listeners.say(profile.text);
  }
  return finish(outcome, run, folder, flags, setup, data.tokens_a_sample());
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
