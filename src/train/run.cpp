#include "train/run.h"

#include <exception>
#include <new>
#include <utility>

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

// The message with the file's name in front, unless it has it.
Error naming(const fs::path& file, const Error& error) {
  const std::string text = error.what();
  if (text.find(file.string()) != std::string::npos) return error;
  return {error.fault(), fmt::format("{}: {}", file.string(), text)};
}

std::string resume_line(const ResumePoint& point, const TrainRequest& request) {
  const LoopState& state = point.state;
  std::string line = fmt::format("resumed from {} at epoch {}, step {}", request.resume->string(),
                                 state.step / request.plan.steps_per_epoch, state.step);
  if (state.test_is_due) line += "; the test that it was broken off in comes first";
  if (state.step == request.plan.total_steps && !state.test_is_due)
    line += "; only its final weights were missing";
  return point.note.empty() ? line : line + "; " + point.note;
}

// A run that was broken off in its last test, or before it wrote its weights, is not.
bool is_finished(const LoopState& state, const TrainRequest& request) {
  if (state.step != request.plan.total_steps) return state.step > request.plan.total_steps;
  const fs::path weights =
      checkpoint_file(request.resume->parent_path(), request.facts.model, "final_weights");
  return !state.test_is_due && fs::exists(weights);
}

LoopState resume(Trainer& trainer, const TrainRequest& request, const TrainHooks& hooks) {
  if (!request.resume) return {};
  if (request.resume->extension() == ".safetensors")
    throw bad_input(fmt::format(
        "{}: such a file holds weights alone, nothing to go on from; --weights starts from them",
        request.resume->string()));
  const Value checkpoint = read_torch_file(*request.resume);
  try {
    const ResumePoint point = read_checkpoint(checkpoint, request.facts);
    if (is_finished(point.state, request))
      throw bad_input(
          fmt::format("it has taken {} steps, this run has {}: raise --epochs or --steps",
                      point.state.step, request.plan.total_steps));
    trainer.restore(checkpoint, point.state.step);
    if (!trainer.is_finite())
      throw bad_input("its weights or statistics are not finite: there is nothing to go on from");
    hooks.said(resume_line(point, request));
    return point.state;
  } catch (const Error& error) {
    throw naming(*request.resume, error);
  }
}

LoopResult profile(Trainer& trainer, BatchSource& source, const TrainRequest& request,
                   const TrainHooks& hooks) {
  const ProfilePlan& profile = *request.profile;
  LoopPlan plan = request.plan;
  plan.stop_after_step = profile.warmup_steps + profile.steps;
  const auto around_step = [&](std::int64_t step, const std::function<void()>& take) {
    if (step >= profile.warmup_steps) trainer.profile_next_step();
    take();
  };
  LoopResult result = run_loop(
      trainer, source, plan, request.settings.learning_rates, {},
      {.around_step = around_step, .interrupted = hooks.interrupted, .reported = hooks.reported});
  if (result.end == LoopEnd::Finished) result.end = LoopEnd::Stopped;
  return result;
}

LoopResult run(Trainer& trainer, BatchSource& source, const TrainRequest& request,
               const Evaluate& evaluate, Saver& saver, const TrainHooks& hooks) {
  const LoopState from = resume(trainer, request, hooks);
  trainer.reset_peak_memory();
  LoopHooks loop_hooks{.around_step = hooks.around_step,
                       .interrupted = hooks.interrupted,
                       .reported = hooks.reported,
                       .save_is_due = [&] { return saver.is_due(); },
                       .save =
                           [&](const LoopState& state) {
                             hooks.steps_pause();
                             saver.save_last(state);
                           },
                       .epoch_ended =
                           [&](const EpochReport& report) {
                             hooks.steps_pause();
                             saver.save_epoch(report);
                             hooks.epoch_ended(report);
                           }};
  if (evaluate)
    loop_hooks.evaluate = [&] {
      hooks.steps_pause();
      return evaluate(trainer);
    };
  LoopResult result =
      run_loop(trainer, source, request.plan, request.settings.learning_rates, from, loop_hooks);
  if (result.failure) {
    saver.rescue(result);
    return result;
  }
  try {
    saver.save_last(result.state);
    if (result.end == LoopEnd::Finished || result.end == LoopEnd::ReachedAccuracy)
      saver.save_weights("final_weights");
    saver.finish();
  } catch (...) {
    result.end = LoopEnd::Failed;
    result.failure = std::current_exception();
    saver.rescue(result);  // it may be an earlier file that could not be written
  }
  return result;
}

Bytes available_memory(const Engine& engine, const Device& device) {
  return device.kind == DeviceKind::Cpu ? read_host_memory().available
                                        : engine.backend(device).facts(device.index).free_memory;
}

// Out of memory with a batch that would not be; everything else as it is.
std::exception_ptr with_advice(const std::exception_ptr& failure, const TrainRequest& request,
                               Bytes available, Bytes used) {
  std::string what = "the host has no memory left";
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.fault() != Fault::Memory) return failure;
    what = error.what();
  } catch (const std::bad_alloc&) {  // of a loader's buffers
  } catch (...) {
    return failure;
  }
  // Of a GPU's memory only what the model took is counted.
  if (used.count > 0 && request.settings.run.device.kind != DeviceKind::Cpu)
    used = used + kProcessOverhead;
  what += "; " + smaller_that_fits(request.model, request.settings.run,
                                   {.available = available, .used = used});
  return std::make_exception_ptr(Error(Fault::Memory, what));
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
    throw naming(file, error);
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
  std::unique_ptr<Trainer> trainer;
  const auto advised = [&](const std::exception_ptr& failure) {
    return with_advice(failure, whole, available, trainer ? trainer->memory().peak : Bytes{});
  };
  try {
    trainer = make_trainer(engine, whole.model, whole.settings);
    if (whole.weights) (void)load_weights(*trainer, *whole.weights, hooks.said);
    source.attach(*trainer);
    Saver saver(*trainer, whole.save, whole.facts, whole.settings.run.device);
    TrainOutcome outcome;
    outcome.loop = whole.profile ? profile(*trainer, source, whole, hooks)
                                 : run(*trainer, source, whole, evaluate, saver, hooks);
    outcome.memory = trainer->memory();
    outcome.files = saver.files();
    if (!outcome.loop.failure) return outcome;
    if (outcome.loop.total.steps == 0) std::rethrow_exception(outcome.loop.failure);
    outcome.loop.failure = advised(outcome.loop.failure);
    return outcome;
  } catch (...) {
    std::rethrow_exception(advised(std::current_exception()));
  }
}

}  // namespace ridgeline
