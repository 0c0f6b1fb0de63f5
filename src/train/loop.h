#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "train/batch_source.h"
#include "train/trainer.h"

namespace ridgeline {

struct LoopPlan {
  std::int64_t total_steps = 1;
  std::int64_t steps_per_epoch = 1;
  std::size_t micro_batches = 1;
  std::int64_t report_every = 10;                 // steps
  std::optional<double> until_accuracy{};         // percent of the test set
  std::optional<std::int64_t> stop_after_step{};  // of this session, before the run is over
  bool skip_bad_steps = false;
};

// Over a stretch of steps: from one report to the next, or an epoch.
struct Stretch {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::int64_t timed_samples = 0;    // of this session: what `wall` was spent on
  std::optional<double> loss{};      // mean; absent when no step's loss was finite
  std::optional<double> accuracy{};  // percent; of classifiers
  std::int64_t bad_steps = 0;
  Seconds wall{};
  Seconds data_wait{};  // the host stood still until a batch was there and on its way
  Seconds compute{};    // the device was in a step
  TrainTimes times{};
};

// End to end, waits included; 0 when nothing was timed.
[[nodiscard]] double samples_per_s(const Stretch& stretch);

struct StepReport {
  std::int64_t step = 0;   // steps taken so far
  std::int64_t epoch = 0;  // from 0
  double learning_rate = 0;
  Stretch stretch{};
  MemoryUse memory{};
  Seconds eta{};
};

struct Score {
  std::optional<double> loss{};      // absent when one of the batches' was not finite
  std::optional<double> accuracy{};  // percent; of classifiers
  std::int64_t samples = 0;
  Seconds time{};
};

// Where training stands, apart from the weights.
struct LoopState {
  std::int64_t step = 0;
  double best_accuracy = -1;          // percent; below zero: none was measured yet
  std::optional<double> best_loss{};  // where the loss is all that judges
  // The epoch that ends here was not judged yet, or its test was broken off.
  bool test_is_due = false;
  // Of the epoch that is under way, or whose test is due.
  double epoch_loss_sum = 0;
  std::int64_t epoch_correct = 0;
  std::int64_t epoch_samples = 0;

  bool operator==(const LoopState&) const = default;
};

struct EpochReport {
  std::int64_t epoch = 0;  // from 0
  std::int64_t step = 0;
  double learning_rate = 0;
  Stretch training{};
  std::optional<Score> test{};
  bool best = false;
  MemoryUse memory{};
  LoopState state{};  // what to save
};

// Called in place of each step; it must call `take` once.
using AroundStep = std::function<void(std::int64_t step, const std::function<void()>& take)>;
inline void take_alone(std::int64_t /*step*/, const std::function<void()>& take) { take(); }

struct LoopHooks {
  AroundStep around_step = take_alone;
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const StepReport&)> reported = [](const StepReport&) {};
  // Empty without a test set. Absent of a test that was interrupted: then so is the training.
  std::function<std::optional<Score>()> evaluate{};
  // Asked after every step: whether it is time to save, also inside an epoch.
  std::function<bool()> save_is_due = [] { return false; };
  std::function<void(const LoopState&)> save = [](const LoopState&) {};
  // An epoch has ended; the place to save. Without a score when testing failed.
  std::function<void(const EpochReport&)> epoch_ended = [](const EpochReport&) {};
};

enum class LoopEnd { Finished, ReachedAccuracy, Stopped, Interrupted, Failed };

struct LoopResult {
  LoopEnd end = LoopEnd::Finished;
  LoopState state{};
  Stretch total{};                    // of this session
  std::optional<double> last_loss{};  // of the last stretch
  std::exception_ptr failure{};       // what ended it, when it failed
  bool inside_step = false;           // it failed there, so the model may be between two steps
};

// What goes wrong under way becomes a result like any other end, so that what was trained and
// measured until then is not lost. A loss that is not finite is an Error(Device) that names its
// step, unless such steps are skipped. A test that is due is taken before any step.
[[nodiscard]] LoopResult run_loop(Trainer& trainer, BatchSource& source, const LoopPlan& plan,
                                  const std::vector<float>& learning_rates, const LoopState& from,
                                  const LoopHooks& hooks);

}  // namespace ridgeline
