#include "train/loop.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using Clock = std::chrono::steady_clock;

// Sums of a stretch that is still going on.
struct Open {
  Clock::time_point start = Clock::now();
  Seconds excluded{};  // evaluation, saving and reporting inside it
  Seconds data_wait{};
  TrainTotals totals{};
  std::int64_t carried = 0;  // samples of an earlier session, which took none of this one's time
  TrainTimes times{};
};

void add(TrainTotals& to, const TrainTotals& part) {
  to.loss += part.loss;
  to.correct += part.correct;
  to.samples += part.samples;
  to.bad_samples += part.bad_samples;
  to.bad_steps += part.bad_steps;
}

void add(TrainTimes& to, const TrainTimes& part) {
  to.busy += part.busy;
  to.steps += part.steps;
  to.forward += part.forward;
  to.backward += part.backward;
  to.optimizer += part.optimizer;
  to.phase_steps += part.phase_steps;
}

Stretch close(const Open& open) {
  Stretch stretch{.steps = open.times.steps,
                  .samples = open.totals.samples + open.totals.bad_samples,
                  .timed_samples = open.totals.samples + open.totals.bad_samples - open.carried,
                  .bad_steps = open.totals.bad_steps,
                  .wall = Clock::now() - open.start - open.excluded,
                  .data_wait = open.data_wait,
                  .compute = open.times.busy,
                  .times = open.times};
  if (open.totals.samples > 0) {
    const auto samples = static_cast<double>(open.totals.samples);
    stretch.loss = open.totals.loss / samples;
    stretch.accuracy = 100 * static_cast<double>(open.totals.correct) / samples;
  }
  return stretch;
}

class Loop {
 public:
  Loop(Trainer& trainer, BatchSource& source, const LoopPlan& plan, const std::vector<float>& rates,
       const LoopState& from, const LoopHooks& hooks)
      : trainer_(trainer), source_(source), plan_(plan), rates_(rates), hooks_(hooks) {
    result_.state = from;
    epoch_.totals = {
        .loss = from.epoch_loss_sum, .correct = from.epoch_correct, .samples = from.epoch_samples};
    epoch_.carried = from.epoch_samples;
  }

  LoopResult run() {
    try {
      take_steps();
      if (since_report_ > 0) report();
    } catch (...) {
      fail();
    }
    keep_open_epoch();
    result_.total = close(session_);
    return result_;
  }

 private:
  void take_steps() {
    const LoopState& state = result_.state;
    std::int64_t taken = 0;
    if (state.test_is_due) {  // the run before was broken off in it
      end_epoch();
      if (stops(taken)) return;
    } else {
      seek_next();
    }
    while (state.step < plan_.total_steps) {
      hooks_.around_step(state.step, [&] { take_step(); });
      ++taken;
      const bool last = state.step == plan_.total_steps;
      const bool judged = epoch_is_over() || last;
      if (state.step % plan_.report_every == 0 || judged) report();
      result_.state.test_is_due = judged && hooks_.evaluate;
      if (hooks_.save_is_due()) save();
      if (judged) end_epoch();
      if (stops(taken)) return;
    }
  }

  [[nodiscard]] bool epoch_is_over() const {
    return result_.state.step % plan_.steps_per_epoch == 0;
  }

  [[nodiscard]] bool epoch_is_done() const { return epoch_is_over() && !result_.state.test_is_due; }

  // Batches that do not fill a step are left out.
  void seek_next() {
    const std::int64_t step = result_.state.step;
    if (step >= plan_.total_steps) return;
    const auto micro = static_cast<std::int64_t>(plan_.micro_batches);
    source_.seek(step / plan_.steps_per_epoch, step % plan_.steps_per_epoch * micro);
  }

  void take_step() {
    for (std::size_t i = 0; i < plan_.micro_batches; ++i) {
      const auto start = Clock::now();
      const HostBatch batch = source_.next();
      const Seconds waited = Clock::now() - start;
      for (Open* const open : {&stretch_, &epoch_, &session_}) open->data_wait += waited;
      trainer_.upload(batch, i);
      source_.release();
    }
    result_.inside_step = true;
    trainer_.step();
    result_.inside_step = false;
    ++result_.state.step;
    ++since_report_;
  }

  void fail() {
    result_.end = LoopEnd::Failed;
    result_.failure = std::current_exception();
    try {
      if (since_report_ > 0) report();
    } catch (...) {
      // A device that has failed has no sums to read; the first failure is the one to tell.
    }
  }

  // Reads what the device has summed: the one place where the host waits for it.
  void collect() {
    const TrainTotals totals = trainer_.take_totals();
    const TrainTimes times = trainer_.take_times();
    for (Open* const open : {&stretch_, &epoch_, &session_}) {
      add(open->totals, totals);
      add(open->times, times);
    }
    if (totals.bad_steps > 0 && !plan_.skip_bad_steps) {
      throw Error(Fault::Device,
                  fmt::format("the loss of step {} is not finite; training stopped before it "
                              "changed a weight (--skip-nan goes on without such steps)",
                              totals.first_bad_step + 1));
    }
  }

  void report() {
    collect();
    const Stretch stretch = close(stretch_);
    result_.last_loss = stretch.loss;
    const std::int64_t step = result_.state.step;
    const Seconds a_step = close(session_).wall / std::max<std::int64_t>(1, session_.times.steps);
    stretch_ = {};
    since_report_ = 0;
    const auto start = Clock::now();
    hooks_.reported({.step = step,
                     .epoch = (step - 1) / plan_.steps_per_epoch,
                     .learning_rate = rate_of(step - 1),
                     .stretch = stretch,
                     .memory = trainer_.memory(),
                     .eta = a_step * (plan_.total_steps - step)});
    stretch_.start = Clock::now();
    for (Open* const open : {&epoch_, &session_}) open->excluded += stretch_.start - start;
  }

  void save() {
    collect();  // waits for steps that are queued, whose time is theirs
    const auto start = Clock::now();
    keep_open_epoch();
    hooks_.save(result_.state);
    const Seconds time = Clock::now() - start;
    for (Open* const open : {&stretch_, &epoch_, &session_}) open->excluded += time;
  }

  void end_epoch() {
    EpochReport report{.epoch = (result_.state.step - 1) / plan_.steps_per_epoch,
                       .step = result_.state.step,
                       .learning_rate = rate_of(result_.state.step - 1),
                       .training = close(epoch_),
                       .memory = trainer_.memory()};
    const auto start = Clock::now();
    seek_next();  // the loader works ahead while we evaluate
    const std::exception_ptr failure = test(report);
    if (epoch_is_done()) epoch_ = {};
    keep_open_epoch();
    report.state = result_.state;
    try {
      hooks_.epoch_ended(report);
    } catch (...) {
      if (!failure) throw;
    }
    if (failure) std::rethrow_exception(failure);
    const auto now = Clock::now();
    session_.excluded += now - start;
    stretch_.start = now;
    epoch_.start = now;
  }

  // A broken image of the test set must not cost the epoch that was trained: it is thrown once the
  // epoch is saved.
  std::exception_ptr test(EpochReport& report) {
    if (!hooks_.evaluate) return nullptr;
    try {
      report.test = hooks_.evaluate();
    } catch (...) {
      return std::current_exception();
    }
    cut_short_ = !report.test;
    result_.state.test_is_due = cut_short_;
    // Of a test with a loss that is not finite the accuracy says nothing either.
    if (!report.test || !report.test->loss) return nullptr;
    LoopState& state = result_.state;
    score_ = report.test->accuracy;
    if (score_) {
      report.best = *score_ > state.best_accuracy;
      state.best_accuracy = std::max(state.best_accuracy, *score_);
    } else {
      report.best = !state.best_loss || *report.test->loss < *state.best_loss;
      if (report.best) state.best_loss = report.test->loss;
    }
    return nullptr;
  }

  // What a checkpoint needs to report the epoch as a whole one day.
  void keep_open_epoch() {
    const TrainTotals totals = epoch_is_done() ? TrainTotals{} : epoch_.totals;
    result_.state.epoch_loss_sum = totals.loss;
    result_.state.epoch_correct = totals.correct;
    result_.state.epoch_samples = totals.samples;
  }

  bool stops(std::int64_t taken) {
    const auto reason = reason_to_stop(taken);
    if (reason) result_.end = *reason;
    return reason.has_value();
  }

  [[nodiscard]] std::optional<LoopEnd> reason_to_stop(std::int64_t taken) const {
    const bool last = result_.state.step >= plan_.total_steps;
    if (plan_.until_accuracy && score_ && *score_ >= *plan_.until_accuracy)
      return LoopEnd::ReachedAccuracy;
    if (last && !cut_short_) return LoopEnd::Finished;
    if (cut_short_ || hooks_.interrupted()) return LoopEnd::Interrupted;
    if (plan_.stop_after_step && taken >= *plan_.stop_after_step) return LoopEnd::Stopped;
    return std::nullopt;
  }

  [[nodiscard]] double rate_of(std::int64_t step) const {
    // As its shortest decimal says: 0.0003, not 0.000300000014.
    return std::stod(fmt::format("{}", rates_.at(static_cast<std::size_t>(step))));
  }

  Trainer& trainer_;
  BatchSource& source_;
  LoopPlan plan_;
  const std::vector<float>& rates_;
  const LoopHooks& hooks_;
  LoopResult result_;
  Open stretch_;
  Open epoch_;
  Open session_;
  std::int64_t since_report_ = 0;
  std::optional<double> score_;
  bool cut_short_ = false;  // the last test
};

}  // namespace

double samples_per_s(const Stretch& stretch) {
  const double wall = stretch.wall.count();
  return wall > 0 ? static_cast<double>(stretch.timed_samples) / wall : 0;
}

LoopResult run_loop(Trainer& trainer, BatchSource& source, const LoopPlan& plan,
                    const std::vector<float>& learning_rates, const LoopState& from,
                    const LoopHooks& hooks) {
  return Loop(trainer, source, plan, learning_rates, from, hooks).run();
}

}  // namespace ridgeline
