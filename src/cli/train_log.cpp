#include "cli/train_log.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/train_console.h"
#include "cli/train_recipe.h"
#include "core/atomic_file.h"
#include "report/training_report.h"

namespace ridgeline {

namespace {

// The scalar by which TensorBoard ranks runs.
std::string judging_tag(const TrainSetup& setup) {
  const std::string judge = setup.hold_out > 0 ? "held_out" : "test";
  if (setup.images) return judge + "/accuracy_percent";
  return setup.hold_out > 0 ? judge + "/loss" : "train/loss";
}

}  // namespace

TrainingLog::TrainingLog(const TrainFlags& flags, const TrainSetup& setup,
                         const TrainRequest& request, const TrainData& data,
                         std::filesystem::path folder)
    : flags_(flags),
      setup_(setup),
      request_(request),
      folder_(std::move(folder)),
      talks_(talks(flags.common)),
      tokens_a_sample_(data.tokens_a_sample()),
      record_({.label = request.facts.model,
               .tokens_a_sample = tokens_a_sample_,
               .held_out = request.facts.hold_out}) {}

void TrainingLog::say(const std::string& line) const {
  if (talks_) fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::filesystem::path TrainingLog::events() const {
  return events_ ? events_->path() : std::filesystem::path();
}

void TrainingLog::open_events() {
  if (events_ || !flags_.tensorboard) return;
  events_ = std::make_unique<EventFile>(
      EventFileOptions{.folder = flags_.profile_dir.value_or(folder_), .wall_clock = {}});
  events_->start_session(hyperparameters(setup_, request_), {judging_tag(setup_)});
  record_.show_in(*events_);
}

// Rewritten as a whole each time, so that a kill leaves what was reported.
void TrainingLog::keep() const {
  write_file_atomically(folder_ / "metrics.csv", to_csv(training_csv(record_.json())));
}

void TrainingLog::add(const StepReport& report) {
  open_events();
  record_.add(report);
  say(step_line(report, request_.plan, setup_.images));
  if (!setup_.images) keep();
}

void TrainingLog::add(const EpochReport& report) {
  record_.add(report);
  if (!setup_.images && !report.test) return;
  say(epoch_line(report, request_.plan, judged(setup_)));
  if (setup_.images) keep();
}

void TrainingLog::end_events(const TrainOutcome& outcome) {
  if (!events_) return;
  const bool whole = outcome.loop.end != LoopEnd::Interrupted && !outcome.loop.failure;
  events_->end_session(whole ? SessionEnd::Success : SessionEnd::Failure);
  events_->flush();
}

nlohmann::json TrainingLog::finish(const TrainOutcome& outcome) { return record_.finish(outcome); }

}  // namespace ridgeline
