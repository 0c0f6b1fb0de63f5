#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/workload.h"
#include "measure/utilisation_watch.h"
#include "profile/memory_timeline.h"
#include "profile/observer.h"
#include "profile/profile_cost.h"
#include "profile/schedule.h"

namespace ridgeline {

// Whether ops and the device's work are recorded in the same steps. Where the host is what a step
// waits for, to be told of every op and of every kernel makes it longer than either does alone.
enum class Sides {
  Together,
  Apart,  // first steps whose ops are recorded, then as many whose kernels are
  Auto,   // apart where together they would cost more than kDearest
};
inline constexpr double kDearest = 1.15;  // a step with the profiler over one without

// How the cost of profiling is measured: pairs of steps, one with and one without, in ABBA order.
// Short steps follow one of their kind that is not counted, and several of the shortest stand for
// one, by their median.
struct CostRounds {
  int most = 36;  // 0: not measured
  int least = 6;  // the fewest from which an interval follows
  Seconds budget{20};
  std::uint64_t seed = 42;
};

// Why the steps ended early.
struct ProfileFailure {
  Fault fault{};
  std::string message{};
};
[[nodiscard]] ProfileFailure failure_of(const std::exception_ptr& thrown);

struct ProfileResult {
  Recording recording{};
  std::optional<MemoryTimeline> memory{};  // of the recording, where allocations were recorded
  std::optional<ProfileCost> cost{};
  // Where sides were recorded apart, `cost` is that of ops and this that of the device's work.
  std::optional<ProfileCost> device_cost{};
  std::optional<ProfileCost> together{};     // what both would have cost, where that was asked
  std::optional<Utilisation> utilisation{};  // of steps without the profiler
  std::optional<ProfileFailure> failure{};
  std::int64_t planned_steps = 0;  // to be recorded, if nothing came between
  bool interrupted = false;        // before those or those that measure the cost were over
};

struct ProfileHooks {
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(double)> progressed = [](double) {};  // 0 to 1
  // A step that is recorded begins (true) or has ended, however it ended.
  std::function<void(bool)> recording = [](bool) {};
  // All steps were recorded; those that measure the cost follow.
  std::function<void()> recorded = [] {};
  // What a step took before the observer came, where that was measured.
  std::optional<Seconds> step_before{};
  // What the GPU's driver knows of it; empty: it is not asked. Where it is, steps without the
  // profiler follow those that measure the cost, for as long as its figures need.
  UtilisationWatch::Source gpu{};
};

// How long and how many they are: the driver's period, and as much again for the samples.
inline constexpr Seconds kPlainSteps{2.5};
inline constexpr std::int64_t kMostPlainSteps = 20'000;

// Of a profile, all that it may step.
[[nodiscard]] std::int64_t most_steps(const StepSchedule& schedule, int cost_rounds);

// Steps `workload` as the schedule says, sides that are apart one after the other, and hands out
// what was recorded, also when a step throws or the user interrupts: then up to there. Afterwards
// measures the cost.
[[nodiscard]] ProfileResult profile_steps(Workload& workload, OpObserver& observer,
                                          const StepSchedule& schedule, const CostRounds& rounds,
                                          const ProfileHooks& hooks, Sides sides = Sides::Together);

// All that was measured of the cost, a sentence a line; empty when nothing was.
[[nodiscard]] std::string cost_text(const ProfileResult& result);
// Of sides apart the dearer one; null when it was not measured.
[[nodiscard]] const ProfileCost* dearest_cost(const ProfileResult& result);

}  // namespace ridgeline
