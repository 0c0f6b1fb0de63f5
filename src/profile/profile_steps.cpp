#include "profile/profile_steps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "stats/abba.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

using Clock = std::chrono::steady_clock;

// Switching the profiler on or off makes the next few ops slower than those after them, on the host
// by less than a millisecond, on a device by some, for its observer comes back from away: a step
// shorter than this is preceded by one that is not counted.
constexpr Seconds kLongStep{0.1};
constexpr Seconds kLongDeviceStep{1};

// What a few milliseconds took is as much what the host did beside: as many steps as fill this
// stand for one in a pair, by their median.
constexpr Seconds kArm{0.03};
constexpr int kMostInArm = 9;

struct Arm {
  bool settle = false;
  int steps = 1;
};

Arm arm_of(Seconds step, bool on_device) {
  return {.settle = step < (on_device ? kLongDeviceStep : kLongStep),
          .steps = static_cast<int>(std::clamp(std::ceil(kArm / step), 1.0, double{kMostInArm}))};
}

template <class Step>
Seconds median_of(int count, const Step& step) {
  std::vector<Seconds> times;
  for (int i = 0; i < count; ++i) times.push_back(step());
  return summarise(times).median;
}

Seconds watched_step(Workload& workload, OpObserver& observer, std::int64_t number, Keep keep) {
  const WatchedStep watched(observer, number, keep);
  return workload.step().total;
}

class RecordingNotice {
 public:
  explicit RecordingNotice(const ProfileHooks& hooks) : hooks_(hooks) { hooks_.recording(true); }
  ~RecordingNotice() { hooks_.recording(false); }
  RecordingNotice(const RecordingNotice&) = delete;
  RecordingNotice& operator=(const RecordingNotice&) = delete;

 private:
  const ProfileHooks& hooks_;
};

// Whoever else looks on looks at the host.
bool watches_ops(Side side) { return side == Side::Both || side == Side::Host; }

// The schedule's steps, numbered from `first`.
struct StepRun {
  Side side = Side::Both;
  std::int64_t first = 0;
};

// The time of the last step.
Seconds run_schedule(Workload& workload, OpObserver& observer, const StepSchedule& schedule,
                     const StepRun& run, const ProfileHooks& hooks, ProfileResult& result) {
  Seconds last{0};
  const std::int64_t steps = step_count(schedule);
  observer.watch(run.side);
  for (std::int64_t step = 0; step < steps; ++step) {
    if (hooks.interrupted()) {
      result.interrupted = true;
      return last;
    }
    switch (action_at(schedule, step)) {
      case StepAction::Wait:
        observer.pause();
        last = workload.step().total;
        break;
      case StepAction::WarmUp:
        last = watched_step(workload, observer, run.first + step, Keep::Nothing);
        break;
      case StepAction::Record: {
        std::optional<RecordingNotice> notice;
        if (watches_ops(run.side)) notice.emplace(hooks);
        last = watched_step(workload, observer, run.first + step, Keep::Everything);
        break;
      }
    }
    hooks.progressed(static_cast<double>(step + 1) / static_cast<double>(steps));
  }
  return last;
}

Seconds step_with(Workload& workload, OpObserver& observer, const Arm& arm) {
  observer.reset();  // so that the room for records never ends, which would make it cheaper
  if (arm.settle) (void)watched_step(workload, observer, 0, Keep::Nothing);
  return median_of(arm.steps,
                   [&] { return watched_step(workload, observer, 0, Keep::Everything); });
}

Seconds step_without(Workload& workload, OpObserver& observer, const Arm& arm, ProfileCost& cost) {
  observer.withdraw();
  cost.beside_paused = cost.beside_paused || !observer.is_away();
  if (arm.settle) (void)workload.step();
  return median_of(arm.steps, [&] { return workload.step().total; });
}

// One pair; absent when interrupted.
bool run_pair(Workload& workload, OpObserver& observer, bool with_first, const Arm& arm,
              const ProfileHooks& hooks, ProfileCost& cost) {
  std::optional<Seconds> with;
  std::optional<Seconds> without;
  for (const bool watched : {with_first, !with_first}) {
    if (hooks.interrupted()) return false;
    if (watched) {
      with = step_with(workload, observer, arm);
    } else {
      without = step_without(workload, observer, arm, cost);
    }
  }
  cost.with.push_back(*with);
  cost.without.push_back(*without);
  return true;
}

std::optional<ProfileCost> measure_cost(Workload& workload, OpObserver& observer, Side side,
                                        const CostRounds& rounds, const Arm& arm,
                                        const ProfileHooks& hooks) {
  ProfileCost cost;
  observer.watch(side);
  const auto order = abba_order(static_cast<std::size_t>(rounds.most), rounds.seed);
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < order.size(); ++round) {
    const bool enough = std::cmp_greater_equal(round, rounds.least);
    if (enough && Clock::now() - begin > rounds.budget) break;
    if (!run_pair(workload, observer, order[round], arm, hooks, cost)) break;
    hooks.progressed(static_cast<double>(round + 1) / static_cast<double>(order.size()));
  }
  observer.withdraw();
  if (cost.with.empty()) return std::nullopt;
  ProfileCost whole = cost_of(std::move(cost.without), std::move(cost.with));
  whole.beside_paused = cost.beside_paused;
  whole.before = hooks.step_before;
  return whole;
}

// What both sides together cost, before anything is recorded: of the first pairs, and no more of
// them than a short look takes.
constexpr CostRounds kTrial{.most = 6, .least = 2, .budget = Seconds{2}};
// Before which libraries still choose their kernels.
constexpr int kStepsBeforeTrial = 2;

Sides choose_sides(Workload& workload, OpObserver& observer, const CostRounds& rounds,
                   const ProfileHooks& hooks, ProfileResult& result) {
  if (!observer.has_sides() || rounds.most <= 0) return Sides::Together;
  Seconds last{0};
  for (int i = 0; i < kStepsBeforeTrial && !hooks.interrupted(); ++i) last = workload.step().total;
  const Arm arm = arm_of(last, static_cast<bool>(hooks.gpu));
  result.together = measure_cost(workload, observer, Side::Both, kTrial, arm, hooks);
  observer.reset();
  const bool dear = result.together && result.together->ratio > kDearest;
  return dear ? Sides::Apart : Sides::Together;
}

// The time of the last step.
Seconds record_steps(Workload& workload, OpObserver& observer, const StepSchedule& schedule,
                     Sides sides, const ProfileHooks& hooks, ProfileResult& result) {
  if (sides != Sides::Apart || !observer.has_sides())
    return run_schedule(workload, observer, schedule, {}, hooks, result);
  const StepSchedule once{.wait = schedule.wait, .warmup = 1, .active = 1};
  Seconds last = run_schedule(workload, observer, once, {.side = Side::Calls}, hooks, result);
  StepRun run{.first = step_count(once)};
  for (const Side side : {Side::Host, Side::Device}) {
    // The device may have been lost meanwhile.
    if (result.interrupted || (side == Side::Device && !observer.has_sides())) return last;
    run.side = side;
    last = run_schedule(workload, observer, schedule, run, hooks, result);
    run.first += step_count(schedule);
  }
  return last;
}

void measure_costs(Workload& workload, OpObserver& observer, const CostRounds& rounds,
                   const Arm& arm, const ProfileHooks& hooks, ProfileResult& result) {
  if (result.recording.device_steps.empty()) {
    result.cost = measure_cost(workload, observer, Side::Both, rounds, arm, hooks);
    return;
  }
  CostRounds half = rounds;
  half.budget = rounds.budget / 2;
  result.cost = measure_cost(workload, observer, Side::Host, half, arm, hooks);
  result.device_cost = measure_cost(workload, observer, Side::Device, half, arm, hooks);
}

Utilisation watch_plain_steps(Workload& workload, const ProfileHooks& hooks) {
  UtilisationWatch watch(hooks.gpu);
  const auto begin = Clock::now();
  for (std::int64_t step = 0; step < kMostPlainSteps; ++step) {
    if (hooks.interrupted() || Clock::now() - begin > kPlainSteps) break;
    watch.step_began();
    (void)workload.step();
    watch.step_ended();
  }
  return watch.finish();
}

// What fails ends the profile and keeps what there is; the first failure is told.
template <class Work>
void attempt(ProfileResult& result, const Work& work) {
  try {
    work();
  } catch (const std::exception&) {
    if (!result.failure) result.failure = failure_of(std::current_exception());
  }
}

}  // namespace

ProfileFailure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {.fault = error.fault(), .message = error.what()};
  } catch (const std::exception& error) {
    return {.fault = Fault::Internal, .message = error.what()};
  }
}

const ProfileCost* dearest_cost(const ProfileResult& result) {
  if (!result.cost) return nullptr;
  const bool device = result.device_cost && result.device_cost->ratio > result.cost->ratio;
  return device ? &*result.device_cost : &*result.cost;
}

std::string cost_text(const ProfileResult& result) {
  if (!result.cost) return {};
  if (result.recording.device_steps.empty()) return sentence(*result.cost) + "\n";
  std::string text = sentence(*result.cost, "Recording ops") + "\n";
  if (result.device_cost) text += sentence(*result.device_cost, "Recording kernels") + "\n";
  if (result.together)
    text += fmt::format(
        "Ops and kernels were recorded in steps of their own: in the same steps they would cost "
        "{:.2f}x ({} pairs), and above {:.2f}x they are kept apart.\n",
        result.together->ratio, result.together->with.size(), kDearest);
  return text;
}

std::int64_t most_steps(const StepSchedule& schedule, int cost_rounds) {
  constexpr std::int64_t kMostInPair = 2 * (kMostInArm + 1);
  const std::int64_t pairs = kTrial.most + 2 * std::int64_t{cost_rounds};
  return kStepsBeforeTrial + 3 * step_count(schedule) + 2 + pairs * kMostInPair + kMostPlainSteps;
}

ProfileResult profile_steps(Workload& workload, OpObserver& observer, const StepSchedule& schedule,
                            const CostRounds& rounds, const ProfileHooks& hooks, Sides sides) {
  ProfileResult result{.planned_steps = std::int64_t{schedule.active} * schedule.repeat};
  Seconds last{0};
  attempt(result, [&] {
    if (sides == Sides::Auto) sides = choose_sides(workload, observer, rounds, hooks, result);
    last = record_steps(workload, observer, schedule, sides, hooks, result);
  });
  result.recording = observer.finish();
  result.memory = memory_timeline(result.recording, {.broke_off = result.failure.has_value()});
  attempt(result, hooks.recorded);
  if (result.failure || result.interrupted || rounds.most <= 0) return result;
  const Arm arm = arm_of(last, static_cast<bool>(hooks.gpu));
  attempt(result, [&] { measure_costs(workload, observer, rounds, arm, hooks, result); });
  result.interrupted = hooks.interrupted();
  if (hooks.gpu && !result.failure && !result.interrupted)
    attempt(result, [&] { result.utilisation = watch_plain_steps(workload, hooks); });
  return result;
}

}  // namespace ridgeline
