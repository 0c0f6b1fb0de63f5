#include "train/run.h"

#include <algorithm>
#include <chrono>
#include <future>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/memory.h"
#include "data/torch_file.h"
#include "data/weights.h"
#include "measure/fit.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

// What a GPU trains is copied off it to be saved, so the file is written while it trains on; one at
// a time, and what went wrong is thrown by the next call. On a CPU a second thread would only take
// time from the first.
class Saver {
 public:
  Saver(Trainer& trainer, const TrainRequest& request)
      : trainer_(trainer),
        request_(request),
        behind_(request.settings.run.device.kind != DeviceKind::Cpu) {}

  void save(const LoopState& state, const std::string& suffix) {
    write(suffix, make_checkpoint(trainer_.state(), state, request_.facts));
  }

  void save_weights(const std::string& suffix) {
    Dict dict;
    for (auto& [name, array] : trainer_.weights()) dict.emplace_back(name, Value{std::move(array)});
    write(suffix, {std::move(dict)});
  }

  // All files are there when this returns.
  void finish() {
    if (writing_.valid()) writing_.get();
  }
  [[nodiscard]] const std::vector<fs::path>& files() const { return files_; }

 private:
  void write(const std::string& suffix, Value value) {
    const fs::path file =
        request_.save.folder / fmt::format("{}_{}.pt", request_.facts.model, suffix);
    finish();
    if (behind_) {
      writing_ = std::async(std::launch::async,
                            [file, held = std::move(value)] { write_torch_file(file, held); });
    } else {
      write_torch_file(file, value);
    }
    if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
  }

  Trainer& trainer_;
  const TrainRequest& request_;
  bool behind_;
  std::vector<fs::path> files_;
  std::future<void> writing_;
};

LoopState resume(Trainer& trainer, const TrainRequest& request, const TrainHooks& hooks) {
  if (!request.resume) return {};
  const Value checkpoint = read_torch_file(*request.resume);
  try {
    const ResumePoint point = read_checkpoint(checkpoint, request.facts);
    if (point.state.step >= request.plan.total_steps)
      throw bad_input(
          fmt::format("it has taken {} steps, this run has {}: raise --epochs or --steps",
                      point.state.step, request.plan.total_steps));
    trainer.restore(checkpoint, point.state.step);
    hooks.said(fmt::format("resumed from {} at epoch {}, step {}{}", request.resume->string(),
                           point.state.step / request.plan.steps_per_epoch, point.state.step,
                           point.note.empty() ? "" : "; " + point.note));
    return point.state;
  } catch (const Error& error) {
    throw Error(error.fault(), fmt::format("{}: {}", request.resume->string(), error.what()));
  }
}

LoopResult profile(Trainer& trainer, BatchSource& source, const TrainRequest& request,
                   const TrainHooks& hooks) {
  LoopPlan plan = request.plan;
  const auto run_steps = [&](std::int64_t steps, const LoopState& from) {
    plan.stop_after_step = steps;
    return run_loop(trainer, source, plan, request.settings.learning_rates, from,
                    {.interrupted = hooks.interrupted, .reported = hooks.reported});
  };
  LoopState state;
  LoopResult result;
  if (request.profile->warmup_steps > 0) result = run_steps(request.profile->warmup_steps, state);
  state = result.state;
  for (std::int64_t i = 0; i < request.profile->steps && !hooks.interrupted(); ++i) {
    trainer.profile_next_step();
    result = run_steps(1, state);
    state = result.state;
  }
  return result;
}

LoopResult run(Trainer& trainer, BatchSource& source, const TrainRequest& request,
               const Evaluate& evaluate, Saver& saver, const TrainHooks& hooks) {
  const LoopState from = resume(trainer, request, hooks);
  trainer.reset_peak_memory();
  LoopState latest = from;
  std::chrono::steady_clock::time_point saved = std::chrono::steady_clock::now();
  const LoopHooks loop_hooks{.around_step = hooks.around_step,
                             .interrupted = hooks.interrupted,
                             .reported = hooks.reported,
                             .evaluate = [&] { return evaluate(trainer); },
                             .epoch_ended =
                                 [&](const EpochReport& report) {
                                   latest.step = report.step;
                                   if (report.test)
                                     latest.best_accuracy =
                                         std::max(latest.best_accuracy, report.test->accuracy);
                                   latest.epoch_loss_sum = 0;
                                   latest.epoch_correct = 0;
                                   latest.epoch_samples = 0;
                                   if (report.best) saver.save(latest, "best");
                                   const auto now = std::chrono::steady_clock::now();
                                   if (now - saved >= request.save.least_pause) {
                                     saver.save(latest, "last");
                                     saved = std::chrono::steady_clock::now();
                                   }
                                   const std::int64_t every = request.save.every_epochs;
                                   if (every > 0 && (report.epoch + 1) % every == 0)
                                     saver.save(latest, fmt::format("epoch{}", report.epoch + 1));
                                   hooks.epoch_ended(report);
                                 }};
  LoopResult result =
      run_loop(trainer, source, request.plan, request.settings.learning_rates, from, loop_hooks);
  if (result.end == LoopEnd::Interrupted || result.end == LoopEnd::Stopped)
    saver.save(result.state, "last");
  if (result.end == LoopEnd::Finished || result.end == LoopEnd::ReachedAccuracy) {
    // With a pause between saves the end itself may not have been one.
    if (request.save.least_pause > Seconds{0}) saver.save(result.state, "last");
    saver.save_weights("final_weights");
  }
  saver.finish();
  return result;
}

Bytes available_memory(const Engine& engine, const Device& device) {
  return device.kind == DeviceKind::Cpu ? read_host_memory().available
                                        : engine.backend(device).facts(device.index).free_memory;
}

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Engine& engine, const ModelSpec& model,
                                      const TrainSettings& settings) {
  return std::unique_ptr<Trainer>(engine.symbol<MakeTrainer>(kMakeTrainerSymbol)(
      model, settings, engine.backend(settings.run.device)));
}

LoadedWeights load_weights(Trainer& trainer, const fs::path& file,
                           const std::function<void(const std::string&)>& say) {
  LoadedWeights report;
  try {
    report = trainer.load_weights(read_weights(file));
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.starts_with(file.string())) throw;
    throw Error(error.fault(), fmt::format("{}: {}", file.string(), text));
  }
  std::string line = fmt::format("{} tensors loaded from {}", report.loaded, file.string());
  if (!report.reinitialised.empty())
    line += fmt::format("; another number of classes, so initialised anew: {}",
                        fmt::join(report.reinitialised, ", "));
  if (!report.ignored.empty())
    line += fmt::format("; not of this model and left out: {}", fmt::join(report.ignored, ", "));
  say(line);
  return report;
}

TrainOutcome train(const Engine& engine, const TrainRequest& request, BatchSource& source,
                   const Evaluate& evaluate, const TrainHooks& hooks) {
  TrainRequest whole = request;
  validate(whole.schedule);
  whole.settings.learning_rates = rates_of(whole.schedule);
  whole.settings.profiles_steps = whole.profile.has_value();
  const Bytes available = available_memory(engine, whole.settings.run.device);
  // On a CPU running out of memory would not be an error but the kernel's killer.
  if (whole.settings.run.device.kind == DeviceKind::Cpu &&
      !fits(whole.model, whole.settings.run, available))
    throw Error(Fault::Memory, shortage_message(whole.model, whole.settings.run, available));
  try {
    const auto trainer = make_trainer(engine, whole.model, whole.settings);
    if (whole.weights) (void)load_weights(*trainer, *whole.weights, hooks.said);
    source.attach(*trainer);
    Saver saver(*trainer, whole);
    TrainOutcome outcome;
    outcome.loop = whole.profile ? profile(*trainer, source, whole, hooks)
                                 : run(*trainer, source, whole, evaluate, saver, hooks);
    outcome.memory = trainer->memory();
    outcome.files = saver.files();
    return outcome;
  } catch (const Error& error) {
    if (error.fault() != Fault::Memory) throw;
    throw Error(Fault::Memory,
                fmt::format("{}; {}", error.what(),
                            largest_that_fits(whole.model, whole.settings.run, available)));
  }
}

}  // namespace ridgeline
