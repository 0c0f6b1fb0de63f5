#include "cli/train_log.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/train_console.h"
#include "cli/train_recipe.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
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
               .held_out = request.facts.hold_out}),
      metrics_(folder_ / "metrics.csv") {}

void TrainingLog::say(const std::string& line) const {
  if (talks_) (void)std::fputs((line + '\n').c_str(), stdout);
  std::fflush(stdout);
  // What is still to be said goes nowhere, so that it does not fail in the place of the training.
  if (take_broken_pipe()) (void)std::freopen("/dev/null", "w", stdout);
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

template <class Work>
void TrainingLog::attempt(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (failure_) return;
    failure_ = std::current_exception();
    fmt::print(stderr, "ridgeline: {}; the training goes on\n", error.what());
  }
}

void TrainingLog::tell() const {
  if (failure_) std::rethrow_exception(failure_);
}

// Of a language model: what its newest report adds to metrics.csv.
CsvTable TrainingLog::last_row() const {
  const nlohmann::json& all = record_.json();
  nlohmann::json newest;
  if (request_.facts.hold_out > 0) newest["held_out_tokens"] = request_.facts.hold_out;
  for (const char* part : {"steps", "epochs"}) {
    newest[part] = nlohmann::json::array();
    if (!all.at(part).empty()) newest[part].push_back(all.at(part).back());
  }
  return training_csv(newest);
}

void TrainingLog::add(const StepReport& report) {
  attempt([&] { open_events(); });
  attempt([&] { record_.add(report); });
  say(step_line(report, request_.plan, setup_.images));
  if (!setup_.images) attempt([&] { metrics_.add(last_row()); });
}

// Epochs of images are few enough to be written as a whole, which a first score needs: without any
// the table is one of steps.
void TrainingLog::add(const EpochReport& report) {
  attempt([&] { record_.add(report); });
  if (!setup_.images && !report.test) return;
  say(epoch_line(report, request_.plan, judged(setup_)));
  attempt([&] {
    if (!setup_.images) return metrics_.replace_last(last_row());
    write_file_atomically(folder_ / "metrics.csv", to_csv(training_csv(record_.json())));
  });
}

void TrainingLog::end_events(const TrainOutcome& outcome) {
  if (!events_) return;
  const bool whole = outcome.loop.end != LoopEnd::Interrupted && !outcome.loop.failure;
  events_->end_session(whole ? SessionEnd::Success : SessionEnd::Failure);
  events_->flush();
}

nlohmann::json TrainingLog::finish(const TrainOutcome& outcome) { return record_.finish(outcome); }

}  // namespace ridgeline
