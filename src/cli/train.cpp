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

// A language model's epoch may be seconds, its state gigabytes.
constexpr Seconds kLeastPause{60};

fs::path checkpoint_folder(const TrainFlags& flags, const RunFolder& folder) {
  if (flags.out_dir) return *flags.out_dir;
  if (flags.resume) return flags.resume->parent_path();
  return folder.path();
}

TrainRequest request_for(const TrainFlags& flags, const TrainSetup& setup, const TrainData& data,
                         const std::optional<fs::path>& weights, const RunFolder& folder) {
  TrainRequest request;
  request.model = data.model();
  request.settings = {.run = setup.run,
                      .optimizer = setup.optimizer,
                      .label_smoothing = flags.label_smoothing,
                      .clip_norm = flags.clip_norm,
                      .ema_decay = flags.ema,
                      .mirror_test = flags.mirror_test,
                      .survive_bad_steps = flags.skip_nan,
                      .normalisation = setup.train_transform.normalisation,
                      .learning_rates = {}};
  const std::int64_t per_epoch = data.steps_per_epoch();
  request.schedule = setup.schedule;
  if (setup.epochs > 0) request.schedule.total_steps = setup.epochs * per_epoch;
  request.schedule.drop_every = setup.images ? setup.drop_every * per_epoch : setup.drop_every;
  request.plan = {.total_steps = request.schedule.total_steps,
                  .steps_per_epoch = per_epoch,
                  .micro_batches = static_cast<std::size_t>(setup.run.accumulation),
                  .report_every = flags.report_every.value_or(setup.images ? 50 : 10),
                  .until_accuracy = flags.until_accuracy,
                  .stop_after_step = {},
                  .skip_bad_steps = flags.skip_nan};
  if (flags.stop_after)
    request.plan.stop_after_step = *flags.stop_after * (setup.images ? per_epoch : 1);
  request.facts = {.model = data.label(),
                   .seed = flags.common.seed,
                   .steps_per_epoch = per_epoch,
                   .total_steps = request.plan.total_steps,
                   .hold_out = static_cast<std::int64_t>(setup.hold_out)};
  request.save = {.folder = checkpoint_folder(flags, folder),
                  .every_epochs = flags.save_every,
                  .least_pause = setup.images ? Seconds{0} : kLeastPause};
  request.weights = weights;
  request.resume = flags.resume;
  if (flags.profile_one_step) {
    request.profile = {.warmup_steps = flags.warmup_iters, .steps = flags.profile_iters};
    request.plan.total_steps = flags.warmup_iters + flags.profile_iters;
    if (flags.resume) throw bad_input("--profile-one-step starts anew: leave --resume out");
    request.schedule.total_steps = std::max(request.schedule.total_steps, request.plan.total_steps);
  }
  return request;
}

HParams hyperparameters(const TrainSetup& setup, const TrainRequest& request) {
  HParams all{{"model", request.facts.model},
              {"optimizer", std::string(name_of(setup.optimizer.kind))},
              {"learning_rate", setup.optimizer.learning_rate},
              {"weight_decay", setup.optimizer.weight_decay},
              {"schedule", std::string(name_of(setup.schedule.kind))},
              {"precision", std::string(name_of(setup.run.precision))},
              {"mode", std::string(name_of(setup.run.mode))},
              {"label_smoothing", request.settings.label_smoothing},
              {"seed", static_cast<double>(setup.run.seed)}};
  if (setup.hold_out > 0) all.emplace_back("held_out_images", static_cast<double>(setup.hold_out));
  if (setup.optimizer.kind != OptimizerKind::Muon) return all;
  all.emplace_back("rest_optimizer", std::string(name_of(setup.optimizer.rest)));
  all.emplace_back("muon_learning_rate", setup.optimizer.muon_learning_rate);
  all.emplace_back("muon_weight_decay", setup.optimizer.muon_weight_decay);
  all.emplace_back("muon_momentum", setup.optimizer.muon_momentum);
  return all;
}

json model_config(const ModelSpec& model) {
  if (const auto* const t = std::get_if<TransformerSpec>(&model))
    return {{"vocab_size", t->vocab_size},     {"hidden_dim", t->d_model},
            {"n_layers", t->num_layers},       {"n_heads", t->num_heads},
            {"n_kv_heads", t->num_kv_heads},   {"intermediate_dim", t->d_ff},
            {"max_seq_len", t->context_length}};
  const auto& r = std::get<ResNetSpec>(model);
  return {{"model", r.label}, {"num_classes", r.num_classes}, {"image_size", r.image_size}};
}

json profiler_config(const TrainFlags& flags) {
  return {{"enable_pytorch_profiler", flags.pytorch_profiler || flags.all_profiling},
          {"enable_memory_profiling", flags.memory_profiling || flags.all_profiling},
          {"warmup_steps", flags.profiler_warmup},
          {"profile_steps", flags.profiler_steps}};
}

SummaryFacts summary_facts(const TrainFlags& flags, const TrainSetup& setup,
                           const TrainRequest& request, const Session& session) {
  const DeviceFacts device = session.engine.backend(session.device).facts(session.device.index);
  json parameters{{"num_steps", request.plan.total_steps},
                  {"batch_size", batch_size_of(request.model).value_or(0)},
                  {"learning_rate", setup.optimizer.learning_rate},
                  {"use_amp", setup.run.precision == Precision::Fp16}};
  if (setup.hold_out > 0) parameters["held_out_images"] = setup.hold_out;
  return {.config = model_config(request.model),
          .profiler = profiler_config(flags),
          .parameters = std::move(parameters),
          .system = {{"device", name_of(session.device)},
                     {"gpu_name",
                      session.device.kind == DeviceKind::Cuda ? json(device.name) : json(nullptr)},
                     {"device_name", device.name},
                     {"torch_version", session.engine.torch_version()}}};
}

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

int run_train(const TrainFlags& flags) {
  const TrainSetup planned = resolve(flags, wanted_device(flags.common.device));
  if (flags.dry_run) {
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
  if (talks) {
    TrainSetup shown = setup;
    shown.model = request.model;
    if (setup.schedule.warmup_steps >= request.plan.total_steps)
      shown.remarks.push_back(fmt::format(
          "the warm-up of the rate, {} steps, is longer than the run; --warmup changes it",
          setup.schedule.warmup_steps));
    fmt::print("{}\n", configuration_text(shown, request.plan, data.description()));
    std::fflush(stdout);
  }
  std::unique_ptr<EventFile> events;
  if (flags.tensorboard) {
    events = std::make_unique<EventFile>(
        EventFileOptions{.folder = flags.profile_dir.value_or(folder.path())});
    events->start_session(hyperparameters(setup, request),
                          {setup.hold_out > 0 ? "held_out/accuracy_percent"
                           : setup.images     ? "test/accuracy_percent"
                                              : "train/loss"});
  }
  TrainRecord record({.label = request.facts.model,
                      .tokens_a_sample = data.tokens_a_sample(),
                      .held_out_images = request.facts.hold_out},
                     events.get());
  const auto say = [&](const std::string& line) {
    if (talks) fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  // Rewritten as a whole each time, so that a kill leaves what was reported.
  const auto keep = [&] {
    write_file_atomically(folder.path() / "metrics.csv", to_csv(training_csv(record.json())));
  };
  const auto profiler = TrainProfile::make(flags, session);
  const TrainHooks hooks{.around_step =
                             [&](std::int64_t step, const std::function<void()>& take) {
                               profiler ? profiler->take(step, take) : take();
                             },
                         .said = say,
                         .interrupted = [] { return interrupted(); },
                         .reported =
                             [&](const StepReport& report) {
                               record.add(report);
                               say(step_line(report, request.plan, setup.images));
                               if (!setup.images) keep();
                             },
                         .epoch_ended =
                             [&](const EpochReport& report) {
                               record.add(report);
                               if (!setup.images) return;
                               say(epoch_line(report, request.plan, judged(setup)));
                               keep();
                             }};
  TrainOutcome outcome = train(
      session.engine, request, data.batches(),
      [&](Trainer& trainer) { return data.evaluate(trainer); }, hooks);
  run.training = record.finish(outcome);
  if (events) {
    events->end_session(outcome.loop.end == LoopEnd::Interrupted ? SessionEnd::Failure
                                                                 : SessionEnd::Success);
    events->flush();
  }
  const fs::path profiles = flags.profile_dir.value_or(folder.path());
  write_file_atomically(
      profiles / "performance_summary.json",
      json_text(performance_summary(*run.training, summary_facts(flags, setup, request, session))));
  if (profiler) {
    const TrainProfile::Result profile =
        profiler->finish(profiles, request, session.engine, samples_per_s(outcome.loop.total));
    outcome.files.insert(outcome.files.end(), profile.files.begin(), profile.files.end());
    say(profile.text);
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
