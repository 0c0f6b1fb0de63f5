#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/format.h"
#include "trace/bound.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

constexpr double kWorthTrying = 0.01;

struct Gain {
  double time = 0;  // of the step
  double memory = 0;
  std::string why{};
};

struct Lever {
  std::string_view name;
  std::optional<Gain> (*gain)(const ProfileFacts& facts);
};

double percent(double part) { return 100 * part; }

// Of the step, not of the time in ops: what no op takes cannot be won by a faster op.
double part_of_step(const ProfileFacts& facts, Seconds time) {
  const Seconds whole = facts.recorded > Seconds{0} ? facts.recorded : facts.step;
  return whole > Seconds{0} ? std::min(1.0, time / whole) : 0;
}

// Ops are summed over all devices, which work side by side.
double part_of_ops(const ProfileFacts& facts, Seconds time) {
  return part_of_step(facts, facts.other_devices ? time / facts.other_devices->devices : time);
}

std::optional<Gain> by_loading(const ProfileFacts& facts) {
  if (!facts.data) return std::nullopt;
  const double part = wait_share(*facts.data);
  return Gain{part, 0,
              fmt::format("{:.1f} % of {} waits for data; more loader threads, pinned memory, or "
                          "augmentation on the GPU",
                          percent(part), the_step(facts))};
}

std::optional<Gain> by_overlap(const ProfileFacts& facts) {
  if (!facts.communication) return std::nullopt;
  const double part = part_of_step(facts, facts.communication->alone);
  return Gain{part, 0,
              fmt::format("communication that no compute hides takes {:.1f} % of {}; start it "
                          "earlier in the backward, in larger buckets, or send fewer bytes",
                          percent(part), the_step(facts))};
}

std::optional<Gain> by_graph(const ProfileFacts& facts) {
  // Without steps what the device waits for may be start-up, which is won once.
  if (!facts.busy || !facts.marks_steps) return std::nullopt;
  const double idle = launch_idle_share(facts);
  if (facts.replays_graph)
    return Gain{idle, 0,
                fmt::format("the device waits {:.1f} % of {} between the replays of its graph; a "
                            "larger batch",
                            percent(idle), the_step(facts))};
  return Gain{
      idle, 0,
      fmt::format("the device waits {:.1f} % of {} for launches; one CUDA graph{} or a "
                  "larger batch",
                  percent(idle), the_step(facts), facts.offers_graph ? " (--mode graph)" : "")};
}

// What stands in the queue already waits for no launch.
std::optional<Gain> by_queue(const ProfileFacts& facts) {
  if (!facts.marks_steps) return std::nullopt;
  const double idle = queued_idle_share(facts);
  return Gain{idle, 0,
              fmt::format("the device is idle {:.1f} % of {} before {} that had been launched "
                          "already; fewer and longer ones, and fewer waits of streams for others",
                          percent(idle), the_step(facts),
                          facts.replays_graph ? "kernels of a CUDA graph" : "kernels")};
}

std::optional<Gain> by_fusion(const ProfileFacts& facts) {
  const double part = part_of_ops(
      facts, op_time(facts, OpKind::Elementwise) + op_time(facts, OpKind::Normalisation));
  return Gain{part, 0,
              fmt::format("elementwise ops and normalisations take {:.1f} % of {}", percent(part),
                          the_step(facts))};
}

std::optional<Gain> by_layout(const ProfileFacts& facts) {
  Seconds moved{};
  for (const OpFact& op : facts.ops) {
    if (changes_layout(op.name)) moved += op.time;
  }
  const double part = part_of_ops(facts, moved);
  // It is convolutions that want their channels last.
  const bool convolves = op_time(facts, OpKind::Convolution) > Seconds{0};
  return Gain{part, 0,
              fmt::format("ops that only change the layout take {:.1f} % of {}{}", percent(part),
                          the_step(facts),
                          facts.offers_channels_last ? " (--memory-format channels-last)"
                          : convolves ? "; convolutions with channels last need fewer"
                                      : "")};
}

std::optional<Gain> by_flash_attention(const ProfileFacts& facts) {
  if (facts.fused_attention) return std::nullopt;
  const double part = part_of_ops(facts, op_time(facts, OpKind::Attention));
  return Gain{part, 0,
              fmt::format("attention takes {:.1f} % of {} and is not fused", percent(part),
                          the_step(facts))};
}

std::optional<Gain> by_half_precision(const ProfileFacts& facts) {
  if (!facts.full_precision || !facts.peak || !facts.half_peak || surpasses_peak(facts))
    return std::nullopt;
  const double part =
      part_of_ops(facts, op_time(facts, OpKind::Matmul) + op_time(facts, OpKind::Convolution) +
                             op_time(facts, OpKind::Attention));
  const double faster = facts.half_peak->value / facts.peak->value;
  if (faster <= 1) return std::nullopt;
  return Gain{
      part * (1 - 1 / faster), 0,
      fmt::format(
          "products take {:.1f} % of the step in fp32; bf16 is {:.1f}x as fast on this device "
          "(--precision bf16)",
          percent(part), faster)};
}

std::optional<Gain> by_checkpointing(const ProfileFacts& facts) {
  if (!facts.runs_backward || !facts.memory || facts.memory->peak.count <= 0) return std::nullopt;
  const double part = facts.memory->activations.count / facts.memory->peak.count;
  return Gain{
      0, part,
      fmt::format(
          "activations are {:.0f} % of the peak memory; computing them again frees most, at "
          "the price of a third more compute (--activation-checkpointing)",
          percent(part))};
}

constexpr std::array kLevers{
    Lever{"data loading", by_loading},
    Lever{"hidden communication", by_overlap},
    Lever{"fewer launches, larger batch", by_graph},
    Lever{"gaps between queued kernels", by_queue},
    Lever{"kernel fusion", by_fusion},
    Lever{"memory layout", by_layout},
    Lever{"flash attention", by_flash_attention},
    Lever{"mixed precision", by_half_precision},
    Lever{"gradient checkpointing", by_checkpointing},
};

}  // namespace

std::vector<Target> targets_of(const ProfileFacts& facts) {
  std::vector<Target> targets;
  for (const Lever& lever : kLevers) {
    const auto gain = lever.gain(facts);
    if (!gain || std::max(gain->time, gain->memory) < kWorthTrying) continue;
    targets.push_back({lever.name, gain->why, gain->time, gain->memory});
  }
  // Time first; what saves memory alone comes after all that saves time.
  std::ranges::stable_sort(targets, [](const Target& a, const Target& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.memory_gain > b.memory_gain;
  });
  return targets;
}

}  // namespace ridgeline
