#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"
#include "trace/bound.h"
#include "trace/finding_rules.h"

namespace ridgeline::rules {
namespace {

constexpr double kDominates = 0.3;
constexpr double kMostly = 0.5;
constexpr double kHighUse = 0.8;  // the workflow's bands: above high, below kLowUse low
constexpr double kLowUse = 0.5;
constexpr double kWorthSaying = 0.02;
constexpr double kMany = 5;  // kernels a step, below which a word like "many" would be wrong

double percent(double part) { return 100 * part; }

std::string where(const ProfileFacts& facts) { return facts.on_gpu ? "device" : "host"; }

// One in three steps is not none.
std::string count_text(double count) { return fmt::format("{:.{}f}", count, count < 1 ? 1 : 0); }

// Two copies at once, on one device or on several, take the step's time once.
std::string copying_share(const ProfileFacts& facts, const CopyFacts& copies) {
  const char* how = "";
  if (copies.merged < copies.time)
    how = facts.other_devices ? " on the device that they take longest on"
                              : ", overlaps counted once";
  return fmt::format(" ({:.1f} % of {}{})", percent(copies.merged / facts.step), the_step(facts),
                     how);
}

// As they are printed, with one decimal.
bool differ(double a, double b) { return std::abs(a - b) >= 0.0005; }

// Where the modules say another share than the ops; else nothing.
std::string by_module(const ProfileFacts& facts) {
  if (!facts.modules) return {};
  std::string list;
  const auto add = [&](const char* what, double share, OpKind kind) {
    if (share > 0 && differ(share, share_of(facts, kind)))
      list += fmt::format("{}{} {:.1f} %", list.empty() ? "" : ", ", what, percent(share));
  };
  add("attention with its projections", facts.modules->attention, OpKind::Attention);
  add("normalisation", facts.modules->normalisation, OpKind::Normalisation);
  return list.empty() ? "" : fmt::format(" By module: {}.", list);
}

}  // namespace

std::optional<std::string> incomplete_trace(const ProfileFacts& facts) {
  if (facts.missing.empty()) return std::nullopt;
  std::string reasons;
  for (const std::string& reason : facts.missing) reasons += (reasons.empty() ? "" : ", ") + reason;
  return fmt::format("The trace is only a part: {}. What needs the rest is not told.", reasons);
}

std::optional<std::string> unseen_device(const ProfileFacts& facts) {
  if (facts.unseen_launches <= 0) return std::nullopt;
  return fmt::format(
      "Work was launched on a device ({:.0f} launches {}) and none of it was recorded: the ops' "
      "times on the host tell neither shares nor what could be won.",
      facts.unseen_launches, a_step(facts));
}

std::optional<std::string> top_operations(const ProfileFacts& facts) {
  if (facts.ops.empty() || op_time(facts) <= Seconds{0}) return std::nullopt;
  std::map<std::string_view, Seconds> by_name;
  for (const OpFact& op : facts.ops) {
    if (op.time > Seconds{0}) by_name[op.name] += op.time;
  }
  std::vector<std::pair<std::string_view, Seconds>> sorted(by_name.begin(), by_name.end());
  const std::size_t shown = std::min<std::size_t>(3, sorted.size());
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(shown),
                            std::ranges::greater{}, &std::pair<std::string_view, Seconds>::second);
  std::string list;
  Seconds sum{};
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, time] = sorted[i];
    sum += time;
    list += fmt::format("{}{} ({:.1f} %, {} {})", i == 0 ? "" : ", ", told(name),
                        percent(time / op_time(facts)), format_seconds(time), a_step(facts));
  }
  return fmt::format("Top {} operation{} by {} time: {}; together {:.1f} %.{}", shown,
                     shown == 1 ? "" : "s", where(facts), list, percent(sum / op_time(facts)),
                     facts.leaves_threads_out
                         ? " What other threads ran beside the step is in the tables alone."
                         : "");
}

std::optional<std::string> kind_shares(const ProfileFacts& facts) {
  if (op_time(facts) <= Seconds{0}) return std::nullopt;
  std::string list;
  for (std::size_t i = 0; i < kOpKinds; ++i) {
    const auto kind = static_cast<OpKind>(i);
    const double share = share_of(facts, kind);
    if (share <= 0) continue;
    list += fmt::format("{}{} {:.1f} %", list.empty() ? "" : ", ", name_of(kind), percent(share));
  }
  return fmt::format("Of the {} time in ops: {}.{}", where(facts), list, by_module(facts));
}

std::optional<std::string> attention_dominates(const ProfileFacts& facts) {
  const double ops = share_of(facts, OpKind::Attention);
  const double modules = facts.modules ? facts.modules->attention : 0;
  if (std::max(ops, modules) < kDominates) return std::nullopt;
  if (!differ(ops, modules) || modules == 0)
    return fmt::format("Attention dominates: {:.1f} % of the time in ops.", percent(ops));
  return fmt::format(
      "Attention dominates: {:.1f} % of the time in ops is within its modules, projections "
      "included, {:.1f} % is attention itself.",
      percent(modules), percent(ops));
}

std::optional<std::string> products_dominate(const ProfileFacts& facts) {
  const double share = share_of(facts, OpKind::Matmul) + share_of(facts, OpKind::Convolution);
  if (share < kMostly) return std::nullopt;
  return fmt::format(
      "Matrix products and convolutions are the main work: {:.1f} % of the time in ops.",
      percent(share));
}

std::optional<std::string> kernel_counts(const ProfileFacts& facts) {
  if (!facts.kernels || facts.kernels->count <= 0) return std::nullopt;
  const std::string counts =
      fmt::format("{:.0f} kernel{} {}, {:.0f} distinct{}", facts.kernels->count,
                  facts.kernels->count == 1 ? "" : "s", a_step(facts), facts.kernels->distinct,
                  facts.marks_steps ? " in all" : "");
  if (facts.kernels->count < 2) return counts + ".";
  return fmt::format("{}; half of them run shorter than {}.", counts,
                     format_seconds(facts.kernels->median));
}

std::optional<std::string> many_small_kernels(const ProfileFacts& facts) {
  if (!facts.kernels || facts.kernels->count <= 0) return std::nullopt;
  const double share = facts.kernels->short_ones / facts.kernels->count;
  if (share < kMostly || facts.kernels->count < kMany) return std::nullopt;
  return fmt::format(
      "Many small kernels: {:.0f} of {:.0f} {} ({:.0f} %) run shorter than {}, hardly longer than "
      "a launch takes.",
      facts.kernels->short_ones, facts.kernels->count, a_step(facts), percent(share),
      format_seconds(kShortKernel));
}

std::optional<std::string> device_utilisation(const ProfileFacts& facts) {
  if (!facts.busy) return std::nullopt;
  const char* const word = *facts.busy > kHighUse  ? "high"
                           : *facts.busy < kLowUse ? "low"
                                                   : "medium";
  const std::string who = facts.other_devices ? fmt::format("the busiest of {:.0f} devices",
                                                            facts.other_devices->devices)
                                              : "the device";
  std::string text = fmt::format(
      "GPU utilisation is {}: {} worked {:.1f} % of {} ({} of {})", word, who, percent(*facts.busy),
      the_step(facts), format_seconds(*facts.busy * facts.step), format_seconds(facts.step));
  if (facts.other_devices)
    text += fmt::format(", the least busy {:.1f} %", percent(facts.other_devices->least_busy));
  text += facts.marks_steps ? "."
                            : "; it marks no steps, so start-up and pauses count too, and what "
                              "binds a step is not known.";
  if (!facts.driver) return text;
  if (!facts.driver->utilisation)
    return text +
           fmt::format(" The driver's own figure (NVML) is absent: {}.", facts.driver->why_absent);
  return text + fmt::format(
                    " The driver (NVML) says {:.0f} %: the part of its sampling periods in which "
                    "any kernel ran, however small.",
                    percent(*facts.driver->utilisation));
}

std::optional<std::string> held_clocks(const ProfileFacts& facts) {
  if (!facts.driver || facts.driver->throttle_reasons.empty()) return std::nullopt;
  const DriverFacts& driver = *facts.driver;
  std::string reasons;
  for (const std::string& reason : driver.throttle_reasons)
    reasons += (reasons.empty() ? "" : ", ") + reason;
  std::string text = fmt::format("The GPU held its clocks back during the steps: {}", reasons);
  if (driver.sm_clock_mhz) text += fmt::format("; SM clock {:.0f} MHz", *driver.sm_clock_mhz);
  if (driver.power_w) text += fmt::format(", {:.0f} W", *driver.power_w);
  return text + ".";
}

std::optional<std::string> communication(const ProfileFacts& facts) {
  if (!facts.communication || facts.step <= Seconds{0} ||
      facts.communication->time < kWorthSaying * facts.step)
    return std::nullopt;
  const CommunicationFacts& spent = *facts.communication;
  return fmt::format(
      "Communication takes {} {} ({:.1f} % of it, {} kernels or calls); {:.1f} % of that runs "
      "while nothing is computed: {}, {:.1f} % of {}.",
      format_seconds(spent.time), a_step(facts), percent(spent.time / facts.step),
      count_text(spent.count), percent(spent.alone / spent.time), format_seconds(spent.alone),
      percent(spent.alone / facts.step), the_step(facts));
}

// Waiting at the end of a step is how its time is taken; before more work it leaves the device
// without any.
std::optional<std::string> host_waits(const ProfileFacts& facts) {
  const Seconds step = facts.recorded > Seconds{0} ? facts.recorded : facts.step;
  if (!facts.waits || step <= Seconds{0} || facts.waits->held < kWorthSaying * step)
    return std::nullopt;
  const WaitFacts& waits = *facts.waits;
  return fmt::format(
      "The host waits for the device in the middle of the step: {:.1f} times, {} ({:.1f} % of "
      "it){}; it launches nothing meanwhile.",
      waits.held_count, format_seconds(waits.held), percent(waits.held / step),
      waits.op.empty() ? "" : fmt::format(", most of it in {}", told(waits.op)));
}

std::optional<std::string> data_loading(const ProfileFacts& facts) {
  if (!facts.data) return std::nullopt;
  const Seconds whole = facts.data->wait + facts.data->compute;
  if (whole <= Seconds{0}) return std::nullopt;
  return fmt::format("Waiting for data takes {:.1f} % of {} ({}), compute {:.1f} % ({}).",
                     percent(facts.data->wait / whole), facts.marks_steps ? "a step" : "the trace",
                     format_seconds(facts.data->wait), percent(facts.data->compute / whole),
                     format_seconds(facts.data->compute));
}

std::optional<std::string> copies_to_device(const ProfileFacts& facts) {
  if (!facts.to_device || facts.to_device->count <= 0) return std::nullopt;
  const CopyFacts& copies = *facts.to_device;
  const bool sized = copies.bytes.count > 0;
  std::string text = fmt::format(
      "Copies from host to device: {} {}, {}{}", count_text(copies.count), a_step(facts),
      sized ? format_bytes(copies.bytes) + ", " : "", format_seconds(copies.time));
  if (facts.step > Seconds{0}) text += copying_share(facts, copies);
  if (!sized) {
    text += "; how many bytes is not told";
  } else if (copies.time > Seconds{0}) {
    text += fmt::format(", {:.1f} GB/s", copies.bytes.count / copies.time.count() / 1e9);
  }
  return text + ".";
}

std::optional<std::string> copies_between_ops(const ProfileFacts& facts) {
  const double share = share_of(facts, OpKind::Copy);
  if (share < kWorthSaying) return std::nullopt;
  return fmt::format(
      "Copies show between the ops: {:.1f} % of the time in ops moves or converts data.",
      percent(share));
}

std::optional<std::string> fusable(const ProfileFacts& facts) {
  const double share =
      share_of(facts, OpKind::Elementwise) + share_of(facts, OpKind::Normalisation);
  const auto won = most_won(share);
  if (share < kWorthSaying || !won) return std::nullopt;
  return fmt::format(
      "What could be fused: elementwise ops and normalisations are {:.1f} % of the time in ops; "
      "fused into their neighbours they would win at most {} there.",
      percent(share), *won);
}

}  // namespace ridgeline::rules
