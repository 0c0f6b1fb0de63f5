#include "trace/bound.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/format.h"

namespace ridgeline {
namespace {

constexpr double kDataBound = 0.2;           // of the step, waiting for data
constexpr double kCommunicationBound = 0.2;  // of the step, communicating while nothing is computed
constexpr double kLaunchBound = 0.7;         // the device works less of the step than this
constexpr double kWorthSaying = 0.02;
constexpr double kNearLimit = 0.4;  // of a limit, below which it does not bind
// Least traffic is a count by shapes, and caches may serve some of it; a little more than the step
// is the bandwidth's own uncertainty.
constexpr double kMoreThanFits = 1.1;

double percent(double part) { return 100 * part; }

// How near the step comes to the two limits of the machine, by the work that shapes say it has.
std::optional<BoundVerdict> nearest_limit(const ProfileFacts& facts) {
  if (!facts.work || !facts.traffic || !facts.peak || !facts.bandwidth || surpasses_peak(facts))
    return std::nullopt;
  const double needed = facts.work->count / facts.peak->value / facts.step.count();
  const double done =
      facts.executed.value_or(*facts.work).count / facts.peak->value / facts.step.count();
  // More than fits is less than was counted, as a convolution of Winograd's.
  const double compute = done <= 1 ? done : needed;
  const double memory = facts.traffic->count / facts.bandwidth->value / facts.step.count();
  const bool fits = memory <= kMoreThanFits;
  const std::string evidence = fmt::format(
      "at the measured peaks its FLOPs would take {:.0f} % of the step and its least traffic "
      "{:.0f} %{}",
      percent(compute), percent(memory), fits ? "" : ", more than fits: caches serve part of it");
  const double held = fits ? memory : 0;
  if (std::max(compute, held) < kNearLimit) return BoundVerdict{Bound::Neither, evidence};
  return BoundVerdict{compute >= held ? Bound::Compute : Bound::Memory, evidence};
}

// The device works nearly all the time, and what it works on is told by names alone.
BoundVerdict busy_device(const ProfileFacts& facts) {
  std::string evidence =
      fmt::format("it works {:.1f} % of {}", percent(*facts.busy), the_step(facts));
  const double products = share_of(facts, OpKind::Matmul) + share_of(facts, OpKind::Convolution) +
                          share_of(facts, OpKind::Attention);
  if (op_time(facts) > Seconds{0})
    evidence += fmt::format(
        ", {:.0f} % of the time in ops on matrix products, convolutions and "
        "attention",
        percent(products));
  return {Bound::Device,
          evidence +
              "; whether compute or memory traffic holds it back needs FLOPs and measured "
              "peaks"};
}

// The device waits for more to do, or for what it has been given to begin.
BoundVerdict idle_device(const ProfileFacts& facts) {
  const double queued = queued_idle_share(facts);
  std::string evidence =
      fmt::format("the device works only {:.1f} % of the step", percent(*facts.busy));
  if (queued > launch_idle_share(facts))
    return {Bound::Queue,
            evidence + fmt::format(", and for {:.1f} % of it stands idle though the next work has "
                                   "been launched",
                                   percent(queued))};
  if (facts.idle && queued >= kWorthSaying)
    evidence += fmt::format(", for {:.1f} % of it the next work has been launched and does not run",
                            percent(queued));
  return {Bound::Launch, evidence + (facts.data ? ", and hardly any of it waits for data"
                                                : "; whether it waits for data was not recorded")};
}

}  // namespace

std::string_view name_of(Bound bound) {
  static constexpr std::array<std::string_view, 8> kNames{
      "bound by data",
      "bound by communication",
      "bound by launches",
      "bound by gaps between queued kernels",
      "bound by compute",
      "bound by memory traffic",
      "bound by neither compute nor memory traffic",
      "bound by the GPU"};
  return kNames[static_cast<std::size_t>(bound)];
}

bool surpasses_peak(const ProfileFacts& facts) {
  return facts.work && facts.peak && facts.step > Seconds{0} && facts.peak->value > 0 &&
         (*facts.work / facts.step).value > facts.peak->value;
}

std::optional<double> mfu_of(const ProfileFacts& facts) {
  if (!facts.work || !facts.peak || facts.step <= Seconds{0} || facts.peak->value <= 0 ||
      surpasses_peak(facts))
    return std::nullopt;
  return (*facts.work / facts.step).value / facts.peak->value;
}

std::optional<BoundVerdict> bound_of(const ProfileFacts& facts) {
  if (facts.step <= Seconds{0}) return std::nullopt;
  if (facts.data && wait_share(*facts.data) > kDataBound)
    return BoundVerdict{
        Bound::Data,
        fmt::format("{} of {} {} wait for the next batch", format_seconds(facts.data->wait),
                    format_seconds(facts.data->wait + facts.data->compute), a_step(facts))};
  if (facts.communication && facts.communication->alone > kCommunicationBound * facts.step)
    return BoundVerdict{
        Bound::Communication,
        fmt::format("for {:.1f} % of {} something is communicated and nothing computed",
                    percent(facts.communication->alone / facts.step), the_step(facts))};
  // Without steps there is start-up in it: a device that waits then tells nothing of a step.
  const bool idle = facts.busy && *facts.busy < kLaunchBound;
  if (idle && !facts.marks_steps) return std::nullopt;
  if (idle) return idle_device(facts);
  if (auto limit = nearest_limit(facts)) return limit;
  return facts.busy ? std::optional(busy_device(facts)) : std::nullopt;
}

}  // namespace ridgeline
